import { readBlockPieces, readFromNode, type BlockRange } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import {
  maxBigInt,
  minBigInt,
  sameHex,
  UpstreamUnavailableError,
  type UserOperation,
} from '@yield-vault/protocol';
import {
  getAbiItem,
  numberToHex,
  parseEventLogs,
  type Block,
  type Hex,
  type Log,
  type TransactionReceipt,
} from 'viem';
import { readInclusion } from './inclusion.js';
import { findBlockOfUse, isUsedAt, lastBlockAt, readNextNonce } from './nonce-use.js';
import type { ExecutionChain, IntentRecord } from '../ports.js';
import type { Location, Search, Sending, VerifiedIntent } from '../types.js';

// Most operations are a few blocks old, and nodes limit ranges.
const firstBlocks = 64n;
const userOperationEvent = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });

/** For an operation that this ledger did not send, or lost that it did. */
export const notSent: Sending = { kind: 'not-sent' };

/** Whether this ledger sent the operation of a record. */
export function sendingOf({ submittedBlock }: Pick<IntentRecord, 'submittedBlock'>): Sending {
  return submittedBlock === undefined ? notSent : { kind: 'sent', since: submittedBlock };
}

/** The newest block. */
type Head = Pick<Block<bigint, false, 'latest'>, 'number' | 'timestamp'>;

/** An operation to search for. */
type Sought = Pick<VerifiedIntent, 'chain' | 'operation' | 'userOpHash' | 'expiry'>;

/**
 * Check whether an operation is in a block. A node that fails or refuses makes the location unclear, because it may only
 * lag behind.
 *
 * @param seenIn - a transaction that may have it
 */
export async function findInclusion(intent: VerifiedIntent, search: Search, seenIn?: Hex): Promise<Location> {
  try {
    const seen = seenIn && (await readInclusion(intent.chain, intent.userOpHash, seenIn));
    return seen ? { kind: 'included', inclusion: seen } : await locateOperation(intent, search);
  } catch (error) {
    if (error instanceof UpstreamUnavailableError) return { kind: 'unclear', failure: error };
    throw error;
  }
}

/**
 * Locate a user operation from the chain alone: from the nonce of the entry point, and from the event of the operation
 * that used it.
 *
 * A use of the nonce without an event proves nothing, because the logs of a node may lag. Then the bundler's receipt
 * decides, or the receipts of the block in which the nonce changed.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function locateOperation(intent: Sought, search: Search): Promise<Location> {
  const { chain, operation, userOpHash, expiry } = intent;
  const head = await readHead(chain);
  const { number, timestamp } = head;
  const next = await readNextNonce(chain, operation, number);
  if (next <= operation.nonce) return openAt(head, next, operation);
  const start = search.sending.kind === 'sent' ? search.sending.since : 0n;
  // No later block can include it.
  const last = timestamp > expiry ? await lastBlockAt(chain, expiry, start, number) : number;
  const event = await findUseOfNonce(chain, operation, { last, head: number }, search);
  if (event && !sameHex(event.args.userOpHash, userOpHash))
    return { kind: 'nonce-used', blockNumber: event.blockNumber };
  if (event) return includedBy(intent, event.transactionHash);

  const receipt = await chain.bundler?.receipt(userOpHash).catch(() => null);
  const claimed = receipt && (await includedBy(intent, receipt.receipt.transactionHash));
  if (claimed?.kind === 'included') return claimed;
  // The head's state showed the use. A later read without it is of a replaced block.
  const isUsed = last === number || (await isUsedAt(chain, operation, last));
  if (isUsed === false) return { kind: 'nonce-used', blockNumber: last };
  const block = isUsed && (await findBlockOfUse(chain, operation, start, last));
  const logs = block && (await readBlockLogs(chain, block));
  if (!logs) return { kind: 'unclear' };
  const [own] = parseEventLogs({ abi: [userOperationEvent], logs, args: { userOpHash } });
  if (own) return includedBy(intent, own.transactionHash);
  // The receipts may be of another block, which replaced the one of the use.
  return (await isUsedAt(chain, operation, block))
    ? { kind: 'nonce-used', blockNumber: block }
    : { kind: 'unclear' };
}

async function includedBy({ chain, userOpHash }: Sought, txHash: Hex): Promise<Location> {
  const inclusion = await readInclusion(chain, userOpHash, txHash);
  return inclusion ? { kind: 'included', inclusion } : { kind: 'unclear' };
}

/** @returns the logs of the entry point; `undefined` when the node does not give the receipts of a block */
async function readBlockLogs(
  { rpc, entryPoint }: ExecutionChain,
  blockNumber: bigint,
): Promise<Log[] | undefined> {
  const request = rpc.request as (call: object) => Promise<readonly TransactionReceipt[] | null>;
  const call = { method: 'eth_getBlockReceipts', params: [numberToHex(blockNumber)] };
  const receipts = await request(call).catch(() => null);
  return receipts?.flatMap(({ logs }) => logs).filter(({ address }) => sameHex(address, entryPoint));
}

function readHead(chain: ExecutionChain): Promise<Head> {
  return readFromNode(chain, chain.rpc.getBlock({ blockTag: 'latest' }));
}

function openAt({ number, timestamp }: Head, next: bigint, { nonce }: UserOperation): Location {
  return { kind: 'open', blockNumber: number, timestamp, isNext: next === nonce };
}

/**
 * Check whether a final intent ended on a fork that is gone. A managed fork may be recreated at any time, which undoes
 * everything that wallets did on it.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function isLostWithFork(
  intent: Sought,
  record: Pick<IntentRecord, 'state' | 'userOpHash' | 'txHash' | 'submittedBlock'>,
  searchBlocks: bigint,
): Promise<boolean> {
  const { chain } = intent;
  const { state, userOpHash, txHash } = record;
  if (chain.relayMode !== 'managed-fork' || (state !== 'confirmed' && state !== 'failed')) return false;
  if (txHash) return (await readInclusion(chain, userOpHash, txHash)) === undefined;
  // It failed because another operation used its nonce, so the nonce decides.
  const { kind } = await locateOperation(intent, { sending: sendingOf(record), searchBlocks });
  return kind === 'open' || kind === 'included';
}

/**
 * Search for the sender's operation with this nonce: forward from the block of the submission, and further back only
 * when the nonce may have been used earlier. Without a block of submission, the newest blocks come first.
 *
 * @param blocks.last - no later block can include the operation; another one may use its nonce later
 */
async function findUseOfNonce(
  chain: ExecutionChain,
  operation: UserOperation,
  { last, head }: { readonly last: bigint; readonly head: bigint },
  { sending, searchBlocks }: Search,
) {
  const oldest = maxBigInt(0n, last - searchBlocks);
  const findBackFrom = (toBlock: bigint) =>
    findUseWithin(chain, operation, { fromBlock: oldest, toBlock, newestFirst: true });
  if (sending.kind === 'not-sent') return findBackFrom(last);
  const start = minBigInt(sending.since, last);
  const toBlock = minBigInt(head, last + searchBlocks);
  const use = await findUseWithin(chain, operation, { fromBlock: start, toBlock });
  if (use || start <= oldest) return use;
  // The nonce saves hundreds of requests on a node that accepts few blocks at once.
  const wasUsed = await isUsedAt(chain, operation, start - 1n);
  return wasUsed === false ? undefined : findBackFrom(start - 1n);
}

function findUseWithin(
  chain: ExecutionChain,
  { sender, nonce }: UserOperation,
  range: Omit<BlockRange, 'initialBlocks'>,
) {
  const read = (fromBlock: bigint, toBlock: bigint) =>
    chain.rpc.getLogs({
      address: chain.entryPoint,
      event: userOperationEvent,
      args: { sender },
      fromBlock,
      toBlock,
      strict: true,
    });
  const find = async () => {
    for await (const events of readBlockPieces(read, { ...range, initialBlocks: firstBlocks })) {
      const use = events.find(({ args }) => args.nonce === nonce);
      if (use) return use;
    }
    return undefined;
  };
  return readFromNode(chain, find());
}
