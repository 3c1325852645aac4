import { readBlockPieces, type BlockRange } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { sameHex, type UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { splitNonce } from '@yield-vault/smart-account';
import { getAbiItem, type Hex } from 'viem';
import type { ExecutionChain } from '../ports.js';
import type { Inclusion } from '../types.js';
import { fromNode } from './from-node.js';
import { readInclusion } from './read-inclusion.js';

/** Where a user operation stands on chain. */
export type Location =
  | { readonly kind: 'included'; readonly inclusion: Inclusion }
  /** Another operation used its nonce: it can never be included. */
  | { readonly kind: 'nonce-used' }
  /** The node does not say yet whether, or by what, its nonce is used. */
  | {
      readonly kind: 'unclear';
      /** Why the node would not say. */
      readonly refusal?: UpstreamUnavailableError;
    }
  /** Its nonce is unused. */
  | {
      readonly kind: 'open';
      readonly blockNumber: bigint;
      readonly timestamp: bigint;
      /** False when an operation before it is still missing. */
      readonly isNext: boolean;
    };

/** Where to look for an operation on chain. */
export interface Search {
  /** A block before which it cannot have been included. */
  readonly since: bigint | undefined;
  /** How far back to look at least. */
  readonly searchBlocks: bigint;
}

// What is looked for is mostly a few blocks old, and nodes limit ranges.
const firstBlocks = 64n;
// Longer than the logs of any node lag behind its blocks, and within the 128 blocks whose state every node keeps.
const settledBlocks = 64n;
const userOperationEvent = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });

/**
 * Find out from the chain alone what became of a user operation: from the nonce of the entry point, and from the
 * event of whichever operation used it.
 *
 * A used nonce without an event proves nothing while it is fresh: behind one address there may be many nodes, and one
 * whose logs lag must never turn an operation that was included into one that failed.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function locateOperation(
  chain: ExecutionChain,
  operation: UserOperation,
  userOpHash: Hex,
  search: Search,
): Promise<Location> {
  const { number, timestamp } = await fromNode(chain, chain.rpc.getBlock({ blockTag: 'latest' }));
  const next = await nextNonce(chain, operation, number);
  if (next <= operation.nonce) {
    return { kind: 'open', blockNumber: number, timestamp, isNext: next === operation.nonce };
  }
  const event = await findUseOfNonce(chain, operation, number, search);
  if (event) {
    if (!sameHex(event.args.userOpHash, userOpHash)) return { kind: 'nonce-used' };
    const inclusion = await readInclusion(chain, userOpHash, event.transactionHash);
    return inclusion ? { kind: 'included', inclusion } : { kind: 'unclear' };
  }
  const isSettled = await isUsedAt(chain, operation, number - settledBlocks);
  return { kind: isSettled ? 'nonce-used' : 'unclear' };
}

function nextNonce(chain: ExecutionChain, operation: UserOperation, blockNumber: bigint): Promise<bigint> {
  return fromNode(
    chain,
    chain.rpc.readContract({
      address: chain.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [operation.sender, splitNonce(operation.nonce).key],
      blockNumber,
    }),
  );
}

/**
 * Search for the one operation of the sender with this nonce: forward from where ours was submitted, since it was most
 * likely included soon after, and further back, newest blocks first, only when the nonce may have been used by then.
 * Where nobody knows when it was submitted, the newest blocks come first too.
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
  // A node that accepts few blocks at once would be asked hundreds of times for what can be known from the nonce.
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
  const next = await nextNonce(chain, operation, blockNumber).catch(() => undefined);
  return next === undefined ? undefined : next > operation.nonce;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
