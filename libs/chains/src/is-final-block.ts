import type { ActiveChain } from './active-chains.js';

/**
 * Whether so many blocks follow a block that its results are final on this chain.
 *
 * @throws the error of the node, when it does not say how far the chain is
 */
export async function isFinalBlock(
  { confirmations, rpc }: Pick<ActiveChain, 'confirmations' | 'rpc'>,
  blockNumber: bigint,
): Promise<boolean> {
  if (confirmations === 0) return true;
  return (await rpc.getBlockNumber({ cacheTime: 0 })) - blockNumber >= BigInt(confirmations);
}
