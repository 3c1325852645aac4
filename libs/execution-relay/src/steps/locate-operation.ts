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
  /** Its nonce is used, and the node does not say yet by what. */
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
  /** Blocks asked for at once, and how far back to look at least. */
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
  return (await wasUsedBefore(chain, operation, number - settledBlocks))
    ? { kind: 'nonce-used' }
    : { kind: 'unclear' };
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

/** Search backwards for the one operation of the sender with this nonce. */
async function findUseOfNonce(
  chain: ExecutionChain,
  { sender, nonce }: UserOperation,
  newest: bigint,
  { since, searchBlocks }: Search,
) {
  const oldest = max(0n, min(since ?? newest, newest - searchBlocks));
  for (let toBlock = newest; toBlock >= oldest; toBlock -= searchBlocks) {
    const events = await fromNode(
      chain,
      chain.rpc.getLogs({
        address: chain.entryPoint,
        event: userOperationEvent,
        args: { sender },
        fromBlock: max(oldest, toBlock - searchBlocks + 1n),
        toBlock,
        strict: true,
      }),
    );
    const use = events.find(({ args }) => args.nonce === nonce);
    if (use) return use;
  }
  return undefined;
}

async function wasUsedBefore(
  chain: ExecutionChain,
  operation: UserOperation,
  blockNumber: bigint,
): Promise<boolean> {
  if (blockNumber < 0n) return false;
  // A node that cannot say leaves it unclear.
  const next = await nextNonce(chain, operation, blockNumber).catch(() => 0n);
  return next > operation.nonce;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
