import { readBlockPieces, type BlockRange } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { sameHex, UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { splitNonce } from '@yield-vault/smart-account';
import { getAbiItem, type Block } from 'viem';
import { fromNode, readInclusion } from './inclusion.js';
import type { ExecutionChain, IntentRecord } from '../ports.js';
import type { Location, Search, VerifiedIntent } from '../types.js';

// Most operations are a few blocks old, and nodes limit ranges.
const firstBlocks = 64n;
// Longer than a node's logs lag behind its blocks, and within the 128 blocks whose state every node keeps.
const lagBlocks = 64n;
const userOperationEvent = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });

/** The newest block. */
type Head = Pick<Block<bigint, false, 'latest'>, 'number' | 'timestamp'>;

/** An operation to search for. */
type Sought = Pick<VerifiedIntent, 'chain' | 'operation' | 'userOpHash'>;

/**
 * Check whether an operation is in a block. A node that fails or refuses makes the location unclear, because it may only
 * lag behind.
 */
export async function findInclusion(intent: VerifiedIntent, search: Search): Promise<Location> {
  try {
    const awaited = search.isAwaited ? await findAwaited(intent, search) : undefined;
    return awaited ?? (await locateOperation(intent, search));
  } catch (error) {
    if (error instanceof UpstreamUnavailableError) return { kind: 'unclear', failure: error };
    throw error;
  }
}

/**
 * Look for an awaited operation with one request. While its nonce is open, block and nonce need not agree.
 *
 * @returns `undefined` when more must be read
 */
async function findAwaited(
  { chain, operation, userOpHash, expiry }: VerifiedIntent,
  { since }: Search,
): Promise<Location | undefined> {
  if (since === undefined) return undefined;
  const filter = { address: chain.entryPoint, event: userOperationEvent, args: { userOpHash } };
  const readEvents = () =>
    chain.rpc.getLogs({ ...filter, fromBlock: since, toBlock: 'latest' }).catch(() => []);
  const [events, head, next] = await Promise.all([
    readEvents(),
    readHead(chain),
    readNextNonce(chain, operation),
  ]);
  // The block may have come between the calls.
  const [event] = events.length === 0 && next > operation.nonce ? await readEvents() : events;
  const inclusion = event && (await readInclusion(chain, userOpHash, event.transactionHash));
  if (inclusion) return { kind: 'included', inclusion };
  return next <= operation.nonce && head.timestamp <= expiry ? openAt(head, next, operation) : undefined;
}

/**
 * Locate a user operation from the chain alone: from the nonce of the entry point, and from the event of the operation
 * that used it.
 *
 * A fresh use of the nonce without an event proves nothing: one address may serve many nodes. A node whose logs lag must
 * not make an included operation look failed.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function locateOperation(
  { chain, operation, userOpHash }: Sought,
  search: Search,
): Promise<Location> {
  const head = await readHead(chain);
  const { number, timestamp } = head;
  const next = await readNextNonce(chain, operation, number);
  if (next <= operation.nonce) return openAt(head, next, operation);
  const { until } = search;
  const newest = until !== undefined && timestamp > until ? await lastBlockAt(chain, until, number) : number;
  const event = await findUseOfNonce(chain, operation, newest, search);
  if (event) {
    if (!sameHex(event.args.userOpHash, userOpHash))
      return { kind: 'nonce-used', blockNumber: event.blockNumber };
    const inclusion = await readInclusion(chain, userOpHash, event.transactionHash);
    return inclusion ? { kind: 'included', inclusion } : { kind: 'unclear' };
  }
  const isUsedForLong = await isUsedAt(chain, operation, number - lagBlocks);
  return isUsedForLong ? { kind: 'nonce-used', blockNumber: undefined } : { kind: 'unclear' };
}

function readHead(chain: ExecutionChain): Promise<Head> {
  return fromNode(chain, chain.rpc.getBlock({ blockTag: 'latest' }));
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
  { state, userOpHash, txHash }: Pick<IntentRecord, 'state' | 'userOpHash' | 'txHash'>,
  search: Search,
): Promise<boolean> {
  const { chain } = intent;
  if (chain.relayMode !== 'managed-fork' || (state !== 'confirmed' && state !== 'failed')) return false;
  if (txHash) return (await readInclusion(chain, userOpHash, txHash)) === undefined;
  // It failed because another operation used its nonce, so the nonce decides.
  const { kind } = await locateOperation(intent, search);
  return kind === 'open' || kind === 'included';
}

/** Read the next nonce of an operation's key, in the newest block by default. */
export function readNextNonce(
  chain: ExecutionChain,
  operation: UserOperation,
  blockNumber?: bigint,
): Promise<bigint> {
  return fromNode(
    chain,
    chain.rpc.readContract({
      address: chain.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [operation.sender, splitNonce(operation.nonce).key],
      ...(blockNumber !== undefined && { blockNumber }),
    }),
  );
}

/**
 * Search for the sender's operation with this nonce: forward from the block of the submission, and further back only
 * when the nonce may have been used earlier. Without a block of submission, the newest blocks come first.
 */
async function findUseOfNonce(
  chain: ExecutionChain,
  operation: UserOperation,
  newest: bigint,
  { since, searchBlocks }: Search,
) {
  const oldest = max(0n, newest - searchBlocks);
  const findBackFrom = (toBlock: bigint) =>
    findUseWithin(chain, operation, { fromBlock: oldest, toBlock, newestFirst: true });
  if (since === undefined) return findBackFrom(newest);
  const start = min(since, newest);
  const use = await findUseWithin(chain, operation, { fromBlock: start, toBlock: newest });
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
  return fromNode(chain, find());
}

/** @returns `undefined` when the node cannot say */
async function isUsedAt(
  chain: ExecutionChain,
  operation: UserOperation,
  blockNumber: bigint,
): Promise<boolean | undefined> {
  if (blockNumber < 0n) return false;
  const next = await readNextNonce(chain, operation, blockNumber).catch(() => undefined);
  return next === undefined ? undefined : next > operation.nonce;
}

/** Find the last block whose time is not after the given one. */
async function lastBlockAt(chain: ExecutionChain, seconds: number, newest: bigint): Promise<bigint> {
  let [low, high] = [0n, newest];
  while (low < high) {
    const blockNumber = (low + high + 1n) / 2n;
    const { timestamp } = await fromNode(chain, chain.rpc.getBlock({ blockNumber }));
    if (timestamp > seconds) high = blockNumber - 1n;
    else low = blockNumber;
  }
  return low;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
