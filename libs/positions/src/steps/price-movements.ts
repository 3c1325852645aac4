import { erc4626Abi, type Address, type PublicClient } from 'viem';
import { asUpstreamError } from '@yield-vault/chains';
import type { PricedMovement, ShareMovement } from '../types.js';

/**
 * Give every movement a price. Shares that came by transfer cost what they were worth in that block; where the
 * node no longer has that state, what they are worth at the nearest block it surely has, which is the pinned one; and
 * nothing where the vault does not say: one broken vault must not hide the positions in the others.
 *
 * @throws {UpstreamUnavailableError} when the node is down
 */
export async function priceMovements(
  rpc: PublicClient,
  vault: Address,
  movements: readonly ShareMovement[],
  pinnedBlock: bigint,
): Promise<{ readonly movements: PricedMovement[]; readonly isEstimated: boolean }> {
  let isEstimated = false;
  const worth = (shares: bigint, blockNumber: bigint) =>
    rpc.readContract({
      address: vault,
      abi: erc4626Abi,
      functionName: 'convertToAssets',
      args: [shares],
      blockNumber,
    });
  const priced = await Promise.all(
    movements.map(async (movement): Promise<PricedMovement> => {
      if (movement.assets !== undefined) return { ...movement, assets: movement.assets };
      // What leaves by transfer takes its cost along; its worth does not matter.
      if (movement.kind !== 'transfer-in') return { ...movement, assets: 0n };
      for (const block of [movement.blockNumber, pinnedBlock]) {
        try {
          return { ...movement, assets: await worth(movement.shares, block) };
        } catch (error) {
          if (asUpstreamError(error, 'rpc')) throw error;
          isEstimated = true;
        }
      }
      return { ...movement, assets: 0n };
    }),
  );
  return { movements: priced, isEstimated };
}
