import { maxBigInt } from '@yield-vault/protocol';
import { zeroAddress } from 'viem';
import type { ActiveChain } from './active-chains.js';
import { isMissingState } from './rpc/node-errors.js';

// Blocks from which the time of a block is estimated.
const span = 10_000n;

/**
 * Find out whether every node of a chain lacks the state of a block that is about so many seconds old.
 *
 * @throws when no node responds
 */
export async function lacksArchive({ rpc }: Pick<ActiveChain, 'rpc'>, seconds: number): Promise<boolean> {
  const head = await rpc.getBlock();
  const past = await rpc.getBlock({ blockNumber: maxBigInt(head.number - span, 0n) });
  const elapsed = maxBigInt(head.timestamp - past.timestamp, 1n);
  const age = (BigInt(seconds) * (head.number - past.number)) / elapsed;
  const blockNumber = maxBigInt(head.number - age, 0n);
  try {
    await rpc.getBalance({ address: zeroAddress, blockNumber });
    return false;
  } catch (error) {
    if (isMissingState(error)) return true;
    throw error;
  }
}
