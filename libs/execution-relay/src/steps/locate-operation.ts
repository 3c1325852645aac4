import { readBlockRange } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { sameHex, type UserOperation } from '@yield-vault/protocol';
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
  | { readonly kind: 'unclear' }
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
  /** Blocks asked for at once, less where the node accepts less, and how far back to look at least. */
  readonly searchBlocks: bigint;
}

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
 * likely included soon after, and further back only when the nonce may have been used by then.
 */
async function findUseOfNonce(
  chain: ExecutionChain,
  operation: UserOperation,
  newest: bigint,
  { since, searchBlocks }: Search,
) {
  const oldest = max(0n, newest - searchBlocks);
  const start = min(since ?? oldest, newest);
  for (let fromBlock = start; fromBlock <= newest; fromBlock += searchBlocks) {
    const toBlock = min(newest, fromBlock + searchBlocks - 1n);
    const use = await findUseWithin(chain, operation, fromBlock, toBlock);
    if (use) return use;
  }
  // A node that accepts few blocks at once would be asked hundreds of times for what can be known from the nonce.
  if (start <= oldest || (await isUsedAt(chain, operation, start - 1n)) === false) return undefined;
  return findUseWithin(chain, operation, oldest, start - 1n);
}

async function findUseWithin(
  chain: ExecutionChain,
  { sender, nonce }: UserOperation,
  fromBlock: bigint,
  toBlock: bigint,
) {
  const read = (from: bigint, to: bigint) =>
    chain.rpc.getLogs({
      address: chain.entryPoint,
      event: userOperationEvent,
      args: { sender },
      fromBlock: from,
      toBlock: to,
      strict: true,
    });
  const initialBlocks = toBlock - fromBlock + 1n;
  const events = await fromNode(chain, readBlockRange(read, { fromBlock, toBlock, initialBlocks }));
  return events.find(({ args }) => args.nonce === nonce);
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
