import { isMissingState } from '@yield-vault/chains';
import { encodeFunctionData, erc4626Abi, type Address, type PublicClient } from 'viem';
import type { PricedMovement, ShareMovement } from '../types.js';
import { askVault } from './ask-vault.js';

/**
 * Give every movement a price. Shares that came by transfer cost what they were worth in that block; where the
 * node no longer has that state, what they are worth at the nearest block it surely has, which is the pinned one; and
 * nothing where the vault does not say: one broken vault must not hide the positions in the others.
 *
 * @throws the error of a node that does not answer or refuses: a cost of nothing would be a wrong number
 */
export async function priceMovements(
  rpc: PublicClient,
  vault: Address,
  movements: readonly ShareMovement[],
  pinnedBlock: bigint,
): Promise<{ readonly movements: PricedMovement[]; readonly isEstimated: boolean }> {
  let isEstimated = false;
  const worth = (shares: bigint, blockNumber: bigint) => {
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] });
    return askVault(rpc, vault, data, blockNumber);
  };
  const worthThen = (shares: bigint, blockNumber: bigint) =>
    worth(shares, blockNumber).catch((error: unknown) => {
      if (isMissingState(error)) return undefined;
      throw error;
    });
  const priced = await Promise.all(
    movements.map(async (movement): Promise<PricedMovement> => {
      const { assets, kind, shares, blockNumber } = movement;
      if (assets !== undefined) return { ...movement, assets };
      // What leaves by transfer takes its cost along; its worth does not matter.
      if (kind !== 'transfer-in') return { ...movement, assets: 0n };
      const then = await worthThen(shares, blockNumber);
      if (then !== undefined) return { ...movement, assets: then };
      isEstimated = true;
      return { ...movement, assets: (await worth(shares, pinnedBlock)) ?? 0n };
    }),
  );
  return { movements: priced, isEstimated };
}
