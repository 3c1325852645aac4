import { isMissingState } from '@yield-vault/chains';
import { encodeFunctionData, erc4626Abi, type Address, type PublicClient } from 'viem';
import type { PricedMovement, ShareMovement } from '../types.js';
import { askVault } from './ask-vault.js';
import { sumReceived } from './sum-received.js';

/** As of which blocks shares are priced that came by transfer. */
export interface PricingBlocks {
  /** The blocks in which they came and for which the vault is asked. */
  readonly historic: ReadonlySet<bigint>;
  /** Stands in for all others. */
  readonly pinned: bigint;
}

/** What some shares were worth together. */
interface Price {
  readonly shares: bigint;
  readonly assets: bigint;
}

/**
 * Give every movement a price. Shares that came by transfer cost what they were worth in that block; where the
 * node no longer has that state, or that block is not asked for, what they are worth at the pinned one; and nothing
 * where the vault does not say: one broken vault must not hide the positions in the others. One question prices
 * all shares of a block, and one all that the pinned block stands in for.
 *
 * @throws the error of a node that does not answer or refuses: a cost of nothing would be a wrong number
 */
export async function priceMovements(
  rpc: PublicClient,
  vault: Address,
  movements: readonly ShareMovement[],
  blocks: PricingBlocks,
): Promise<{ readonly movements: PricedMovement[]; readonly isEstimated: boolean }> {
  const worth = (shares: bigint, blockNumber: bigint) => {
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] });
    return askVault(rpc, vault, data, blockNumber);
  };
  const worthThen = (shares: bigint, blockNumber: bigint) =>
    worth(shares, blockNumber).catch((error: unknown) => {
      if (isMissingState(error)) return undefined;
      throw error;
    });
  const received = sumReceived(movements);
  const prices = new Map<bigint, Price>();
  await Promise.all(
    [...received].map(async ([blockNumber, shares]) => {
      const assets = blocks.historic.has(blockNumber) ? await worthThen(shares, blockNumber) : undefined;
      if (assets !== undefined) prices.set(blockNumber, { shares, assets });
    }),
  );
  const rest = [...received].reduce((sum, [block, shares]) => (prices.has(block) ? sum : sum + shares), 0n);
  const isEstimated = rest > 0n;
  const estimate = { shares: rest, assets: isEstimated ? ((await worth(rest, blocks.pinned)) ?? 0n) : 0n };
  const priced = movements.map((movement): PricedMovement => {
    const { kind, assets, shares, blockNumber } = movement;
    if (assets !== undefined) return { ...movement, assets };
    // What leaves by transfer takes its cost along; its worth does not matter.
    if (kind !== 'transfer-in') return { ...movement, assets: 0n };
    const price = prices.get(blockNumber) ?? estimate;
    return { ...movement, assets: (price.assets * shares) / price.shares };
  });
  return { movements: priced, isEstimated };
}
