import type { ShareMovement } from '../types.js';
import { groupBy } from './group-by.js';
import type { ShareLog } from './read-share-logs.js';

const counterpart = { 'transfer-in': 'deposit', 'transfer-out': 'withdraw' } as const;

const keyOf = ({ transactionHash, shares }: ShareLog, event: ShareLog['event']) =>
  `${event} ${transactionHash} ${shares}`;

/**
 * Turn the events of one vault into movements. Shares move by Transfer alone; a Deposit or Withdraw of the same
 * transaction and share count gives one of them its price, and each prices only one.
 */
export function pairMovements(logs: readonly ShareLog[]): ShareMovement[] {
  const prices = groupBy(
    // The first of a group is taken off its end.
    logs.filter(({ event }) => event === 'deposit' || event === 'withdraw').reverse(),
    (log) => keyOf(log, log.event),
  );
  const movements: ShareMovement[] = [];
  for (const log of logs) {
    const { event, blockNumber, logIndex, shares } = log;
    if (event !== 'transfer-in' && event !== 'transfer-out') continue;
    const price = prices.get(keyOf(log, counterpart[event]))?.pop();
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
