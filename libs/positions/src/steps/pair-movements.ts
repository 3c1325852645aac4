import type { ShareMovement } from '../types.js';
import type { ShareLog } from './read-share-logs.js';

const counterpart = { 'transfer-in': 'deposit', 'transfer-out': 'withdraw' } as const;

/**
 * Turn the events of one vault into movements. Shares move by Transfer alone; a Deposit or Withdraw of the same
 * transaction and share count gives one of them its price, and each prices only one.
 */
export function pairMovements(logs: readonly ShareLog[]): ShareMovement[] {
  const prices = logs.filter(({ event }) => event === 'deposit' || event === 'withdraw');
  const used = new Set<ShareLog>();
  const movements: ShareMovement[] = [];
  for (const { event, transactionHash, blockNumber, logIndex, shares } of logs) {
    if (event !== 'transfer-in' && event !== 'transfer-out') continue;
    const price = prices.find(
      (log) =>
        log.event === counterpart[event] &&
        log.transactionHash === transactionHash &&
        log.shares === shares &&
        !used.has(log),
    );
    if (price) used.add(price);
    movements.push({
      kind: price ? counterpart[event] : event,
      shares,
      assets: price?.assets,
      blockNumber,
      logIndex,
    });
  }
  return movements;
}
