import { FundingFailedError } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { LaunchedFork } from '../ports.js';
import type { BlockRef, Fork, ForkChain, FundedBalances, Funding } from '../types.js';

/** Present a bare process as a fork. It knows no tokens: only ETH can be given there. */
export function asFork(
  launched: LaunchedFork,
  facts: {
    readonly id: string;
    readonly chain: Pick<ForkChain, 'key' | 'chainId'>;
    readonly block: BlockRef;
    readonly createdAt: number;
  },
): Fork {
  const { id, chain, block, createdAt } = facts;
  return {
    ...launched,
    id,
    kind: 'ephemeral',
    chain: chain.key,
    chainId: chain.chainId,
    status: 'running',
    forkBlock: block.number,
    createdAt,
    async fund({ address, ethWei = 0n, usdcBaseUnits = 0n }: Funding): Promise<FundedBalances> {
      if (usdcBaseUnits > 0n) {
        throw new FundingFailedError({
          detail: 'A fork of one simulation gives no tokens.',
          retryable: false,
        });
      }
      await launched.addEth(address, ethWei);
      const balance = (await launched.request('eth_getBalance', [address, 'latest'])) as Hex;
      return { ethWei: BigInt(balance), usdcBaseUnits: 0n };
    },
  };
}
