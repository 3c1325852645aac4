import type { ShareMovement } from '../types.js';

/** Add up the shares that came by transfer, by block: these have no price of their own. */
export function sumReceived(movements: readonly ShareMovement[]): Map<bigint, bigint> {
  const received = new Map<bigint, bigint>();
  for (const { kind, shares, blockNumber } of movements) {
    if (kind === 'transfer-in') received.set(blockNumber, (received.get(blockNumber) ?? 0n) + shares);
  }
  return received;
}
