import { asUpstreamError } from '@yield-vault/chains';
import { encodeFunctionData, erc4626Abi, type Address, type PublicClient } from 'viem';
import { askVault } from './ask-vault.js';

// Bytes of call data in one batched call: some 240 calls, which every node's gas cap for eth_call allows.
const batchSize = 16_384;

/**
 * Read the share balances of a wallet at one block, in the order of the vaults. All are asked with one call; those that
 * fail there are asked again alone, since a vault before them may have burnt their gas, or that of all.
 *
 * @throws whatever a node answers that is no verdict on a vault
 */
export async function readBalances(
  rpc: PublicClient,
  wallet: Address,
  vaults: readonly Address[],
  blockNumber: bigint,
): Promise<bigint[]> {
  const balanceOf = { abi: erc4626Abi, functionName: 'balanceOf', args: [wallet] } as const;
  const responses = await rpc.multicall({
    blockNumber,
    batchSize,
    contracts: vaults.map((address) => ({ address, ...balanceOf })),
  });
  return Promise.all(
    responses.map(async (response, index) => {
      if (response.status === 'success') return response.result;
      if (asUpstreamError(response.error, 'rpc')) throw response.error;
      return (await askVault(rpc, vaults[index]!, encodeFunctionData(balanceOf), blockNumber)) ?? 0n;
    }),
  );
}

/** What some shares are worth, in base units of the asset. */
export interface ShareValue {
  /** What a redeem would pay now, exit fee included. */
  readonly redeemable: bigint;
  /** Before exit fees. */
  readonly assets: bigint;
}

/**
 * Value the shares of some vaults at one block. Where previewRedeem fails, as paused vaults may let it,
 * convertToAssets stands in; where both do, the shares pay nothing now.
 *
 * @throws whatever a node answers that is no verdict on a vault
 */
export function readShareValues(
  rpc: PublicClient,
  holdings: readonly { readonly vaultAddress: Address; readonly balance: bigint }[],
  blockNumber: bigint,
): Promise<ShareValue[]> {
  return Promise.all(
    holdings.map(async ({ vaultAddress, balance }) => {
      const ask = (functionName: 'previewRedeem' | 'convertToAssets') => {
        const data = encodeFunctionData({ abi: erc4626Abi, functionName, args: [balance] });
        return askVault(rpc, vaultAddress, data, blockNumber);
      };
      const [redeemable, assets = 0n] = await Promise.all([ask('previewRedeem'), ask('convertToAssets')]);
      return { redeemable: redeemable ?? assets, assets };
    }),
  );
}
