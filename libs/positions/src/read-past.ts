import type { ChainEventRows } from '@yield-vault/database';
import { maxBigInt, sameHex } from '@yield-vault/protocol';
import {
  eventTopics,
  parseShareMovements,
  parseUserOperations,
  type OperationContracts,
  type OperationEvent,
  type WalletMovement,
} from '@yield-vault/smart-account';
import {
  formatLog,
  numberToHex,
  padHex,
  type Address,
  type Hex,
  type Log,
  type PublicClient,
  type RpcLog,
} from 'viem';
import type { WalletPast } from './stored-pasts.js';

/** Blocks of one log query, both bounds included. */
export interface Blocks {
  readonly from: bigint;
  readonly to: bigint;
}

/** What was found in ranges that follow each other, up to the first range that failed. */
export interface Window extends ChainEventRows, Pick<WalletPast, 'nextBlock' | 'firstReceipt'> {
  /** Log queries made. */
  readonly queries: number;
  readonly failed: { readonly blocks: Blocks; readonly error: unknown } | undefined;
}

// Geth accepts 1,000 addresses, and as many topics in one place.
const mostOfFilter = 1_000;
const filterOf = <T>(values: readonly T[]) => (values.length > mostOfFilter ? null : [...values]);

const { transfer, deposit, withdraw, userOperation, ownPayment, circlePayment, singletonPayment } =
  eventTopics;
const incomingTopics = [transfer, deposit, withdraw, userOperation, circlePayment, singletonPayment];

/**
 * Read the events of one wallet in ranges that follow each other, all at once. Events are chosen by topics at the node.
 * Shares leave only a wallet that received some, so one query a range is enough before the first receipt, and two
 * afterwards.
 */
export async function readWindow(
  rpc: PublicClient,
  past: WalletPast,
  contracts: OperationContracts,
  ranges: readonly Blocks[],
): Promise<Window> {
  const { entryPoint, paymaster } = contracts;
  const { vaults, wallet } = past;
  const topic = padHex(wallet, { size: 32 });
  const isVault = new Set<string>(vaults);
  let queries = 0;
  const read = (emitters: readonly Address[], topics: (Hex | Hex[] | null)[], blocks: Blocks) => {
    queries += 1;
    return queryLogs(rpc, emitters, topics, blocks);
  };
  const movementsOf = (logs: Log[]) =>
    parseShareMovements(
      logs.filter(({ address }) => isVault.has(address.toLowerCase())),
      wallet,
    );
  const operationsOf = (logs: Log[]) =>
    parseUserOperations(logs, contracts).filter((operation) => sameHex(operation.wallet, wallet));

  const readRange = async (
    { from, to }: Blocks,
    incoming: Promise<Log[]>,
    received: Promise<bigint | undefined>,
  ) => {
    const outgoing = received.then((first = to + 1n) =>
      first <= to ? read(vaults, [[transfer, withdraw], topic], { from: maxBigInt(from, first), to }) : [],
    );
    const logs = (await Promise.all([incoming, outgoing])).flat();
    // A spender may redeem the wallet's shares for somebody else. Only the owner in that Withdraw names the wallet.
    const unpaid = movementsOf(logs).filter(({ kind }) => kind === 'transfer-out');
    // Our own paymaster's event does not name the wallet.
    const unpriced = operationsOf(logs).filter(({ gasUsdc }) => gasUsdc === undefined);
    const more = await Promise.all([
      unpaid.length === 0
        ? []
        : read(vaults, [withdraw, null, null, topic], {
            from: unpaid[0]!.blockNumber,
            to: unpaid.at(-1)!.blockNumber,
          }),
      unpriced.length === 0
        ? []
        : read([paymaster], [ownPayment, filterOf(unpriced.map(({ userOpHash }) => userOpHash))], {
            from,
            to,
          }),
    ]);
    const all = [...logs, ...more.flat()];
    return { movements: movementsOf(all), operations: operationsOf(all) };
  };

  let received = Promise.resolve(past.firstReceipt);
  const reads = ranges.map((blocks) => {
    const incoming = read([...vaults, entryPoint, paymaster], [incomingTopics, null, topic], blocks);
    received = received.then(async (first) => first ?? movementsOf(await incoming)[0]?.blockNumber);
    return { blocks, received, events: readRange(blocks, incoming, received) };
  });
  const movements: WalletMovement[] = [];
  const operations: OperationEvent[] = [];
  let { nextBlock, firstReceipt } = past;
  let failed: Window['failed'];
  // All ranges end before the window does. Beyond a failed range nothing counts.
  await Promise.allSettled(reads.map(({ events }) => events));
  for (const { blocks, received: first, events } of reads) {
    try {
      const found = await events;
      movements.push(...found.movements);
      operations.push(...found.operations);
      firstReceipt = await first;
    } catch (error) {
      failed = { blocks, error };
      break;
    }
    nextBlock = blocks.to + 1n;
  }
  return { movements, operations, nextBlock, firstReceipt, queries, failed };
}

async function queryLogs(
  rpc: PublicClient,
  emitters: readonly Address[],
  topics: (Hex | Hex[] | null)[],
  { from, to }: Blocks,
): Promise<Log[]> {
  const address = filterOf(emitters);
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  const found: RpcLog[] = await rpc.request({
    method: 'eth_getLogs',
    params: [{ ...(address && { address }), ...range, topics }],
  });
  return found.map((log) => formatLog(log));
}
