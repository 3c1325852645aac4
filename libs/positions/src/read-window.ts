import { pairMovements, positionOf } from './movements.js';
import type { VaultMovement } from './ports.js';
import type { Blocks, ShareLog, ShareLogReader } from './read-share-logs.js';

/** The movements of some ranges in a row, up to the first range that failed. */
export interface Window {
  readonly movements: readonly VaultMovement[];
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
 * range is enough before the first receipt, and two afterwards.
 *
 * @param received - first block in which the wallet received shares, when it is known
 */
export async function readWindow(
  reader: ShareLogReader,
  ranges: readonly Blocks[],
  received: bigint | undefined,
): Promise<Window> {
  let queries = 0;
  const query = (method: keyof ShareLogReader, blocks: Blocks) => {
    queries += 1;
    return reader[method](blocks);
  };
  const outgoingSince = (first: bigint) =>
    Promise.allSettled(
      ranges.map(async ({ from, to }) =>
        to < first ? [] : query('outgoing', { from: from < first ? first : from, to }),
      ),
    );
  const early = received === undefined ? undefined : outgoingSince(received);
  const incoming = await Promise.allSettled(ranges.map((blocks) => query('incoming', blocks)));
  const firstBlock = received ?? firstReceipt(incoming);
  const outgoing = await (early ?? (firstBlock === undefined ? [] : outgoingSince(firstBlock)));

  const movements: VaultMovement[] = [];
  let nextBlock = ranges[0]!.from;
  for (const [index, blocks] of ranges.entries()) {
    try {
      const logs = [...valueOf(incoming[index]), ...valueOf(outgoing[index])];
      movements.push(...(await toMovements(logs, (burns) => query('withdrawals', burns))));
    } catch (error) {
      return { movements, nextBlock, firstBlock, queries, failed: { blocks, error } };
    }
    nextBlock = blocks.to + 1n;
  }
  return { movements, nextBlock, firstBlock, queries };
}

function valueOf(settled: PromiseSettledResult<ShareLog[]> | undefined): ShareLog[] {
  if (settled?.status === 'rejected') throw settled.reason;
  return settled?.value ?? [];
}

/** Beyond a failed range nothing counts: an earlier receipt may be in it. */
function firstReceipt(incoming: readonly PromiseSettledResult<ShareLog[]>[]): bigint | undefined {
  for (const settled of incoming) {
    if (settled.status === 'rejected') return undefined;
    const blocks = settled.value.filter(({ event }) => event === 'transfer-in').map((log) => log.blockNumber);
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
  const unpaid = new Set(movements.filter(({ kind }) => kind === 'transfer-out').map(positionOf));
  const burns = logs.filter((log) => log.isBurn && unpaid.has(positionOf(log)));
  if (burns.length === 0) return movements;
  const blocks = burns.map(({ blockNumber }) => blockNumber).sort((a, b) => (a < b ? -1 : 1));
  return pairMovements([...logs, ...(await withdrawals({ from: blocks[0]!, to: blocks.at(-1)! }))]);
}
