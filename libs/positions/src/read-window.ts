import { pairMovements, placeOf } from './movements.js';
import type { Findings, GasPayment, VaultMovement } from './ports.js';
import type { Blocks, Incoming, ShareLog, ShareLogReader } from './read-share-logs.js';

/** The findings of some ranges in a row, up to the first range that failed. */
export interface Window extends Findings {
  /** The block after the last one that was read. */
  readonly nextBlock: bigint;
  /** First block in which the wallet received shares. */
  readonly firstBlock: bigint | undefined;
  /** Log queries made. */
  readonly queries: number;
  readonly failed?: { readonly blocks: Blocks; readonly error: unknown };
}

/**
 * Read ranges that follow each other, all at once. Shares can only leave a wallet that received some, so one query a
 * range is enough before the first receipt, and two afterwards. A range with operations may need one more for their
 * payments.
 *
 * @param received - first block in which the wallet received shares, when it is known
 */
export async function readWindow(
  reader: ShareLogReader,
  ranges: readonly Blocks[],
  received: bigint | undefined,
): Promise<Window> {
  let queries = 0;
  const count = <T>(query: Promise<T>) => {
    queries += 1;
    return query;
  };
  const outgoingSince = (first: bigint) =>
    Promise.allSettled(
      ranges.map(async ({ from, to }) =>
        to < first ? [] : count(reader.outgoing({ from: from < first ? first : from, to })),
      ),
    );
  const early = received === undefined ? undefined : outgoingSince(received);
  const incoming = await Promise.allSettled(ranges.map((blocks) => count(reader.incoming(blocks))));
  const firstBlock = received ?? firstReceipt(incoming);
  const [outgoing, paid] = await Promise.all([
    early ?? (firstBlock === undefined ? [] : outgoingSince(firstBlock)),
    Promise.allSettled(
      incoming.map(async (settled, index) => {
        const { payments, unpriced } = valueOf(settled);
        if (unpriced.length === 0) return payments;
        return [...payments, ...(await count(reader.payments(ranges[index]!, unpriced)))];
      }),
    ),
  ]);

  const movements: VaultMovement[] = [];
  const payments: GasPayment[] = [];
  let nextBlock = ranges[0]!.from;
  for (const [index, blocks] of ranges.entries()) {
    try {
      const logs = [
        ...valueOf(incoming[index]!).shares,
        ...(outgoing[index] ? valueOf(outgoing[index]) : []),
      ];
      const paidHere = valueOf(paid[index]!);
      movements.push(...(await toMovements(logs, (burns) => count(reader.withdrawals(burns)))));
      payments.push(...paidHere);
    } catch (error) {
      return { movements, payments, nextBlock, firstBlock, queries, failed: { blocks, error } };
    }
    nextBlock = blocks.to + 1n;
  }
  return { movements, payments, nextBlock, firstBlock, queries };
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** Beyond a failed range nothing counts: an earlier receipt may be in it. */
function firstReceipt(incoming: readonly PromiseSettledResult<Incoming>[]): bigint | undefined {
  for (const settled of incoming) {
    if (settled.status === 'rejected') return undefined;
    const blocks = settled.value.shares
      .filter(({ event }) => event === 'transfer-in')
      .map((log) => log.blockNumber);
    if (blocks.length > 0) return blocks.reduce((first, block) => (block < first ? block : first));
  }
  return undefined;
}

/** A spender may redeem the wallet's shares for somebody else. Only then are burnt shares without their Withdraw. */
async function toMovements(
  logs: readonly ShareLog[],
  withdrawals: (blocks: Blocks) => Promise<ShareLog[]>,
): Promise<VaultMovement[]> {
  const movements = pairMovements(logs);
  const unpaid = new Set(movements.filter(({ kind }) => kind === 'transfer-out').map(placeOf));
  const burns = logs.filter((log) => log.isBurn && unpaid.has(placeOf(log)));
  if (burns.length === 0) return movements;
  const blocks = burns.map(({ blockNumber }) => blockNumber).sort((a, b) => (a < b ? -1 : 1));
  return pairMovements([...logs, ...(await withdrawals({ from: blocks[0]!, to: blocks.at(-1)! }))]);
}
