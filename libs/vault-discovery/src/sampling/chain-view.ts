import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import type { PublicClient } from 'viem';
import {
  createBlockFinder,
  readHeader,
  readHeaderIfAny,
  toHeader,
  type Header,
} from '../chain/block-finder.js';
import type { Anchor, SnapshotStore } from '../ports.js';

/** Depth from which a block counts as final where the node does not tell which one is, in seconds. */
export const settleSeconds = 120;

/** A chain at one moment. */
export interface ChainView {
  readonly head: Header;
  /** What is at least as deep does not change any more. */
  readonly final: Header;
}

export interface ChainViewDeps {
  readonly chain: Pick<ActiveChain, 'chainId' | 'key' | 'rpc'>;
  readonly store: Pick<SnapshotStore, 'anchor' | 'setAnchor'>;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
}

/**
 * Look at a chain, and whether it still is the one that was sampled: the block remembered last must be part of it.
 * The newest final block is remembered in its place.
 *
 * @returns `replaced` when another chain took its place, as when a local chain began anew
 * @throws when the node does not answer or is behind what was sampled
 */
export async function viewChain({ chain, store, now }: ChainViewDeps): Promise<ChainView | 'replaced'> {
  const { rpc, chainId } = chain;
  const anchor = await store.anchor(chainId);
  const [head, tagged, found] = await Promise.all([
    readHeader(rpc),
    readFinalized(rpc),
    anchor && readHeaderIfAny(rpc, Number(anchor.block)),
  ]);
  if (anchor && found?.hash !== anchor.hash) {
    // A node that is still syncing lacks the block too, but its head is old; or the head came from another node.
    const isBehind = now() / 1_000 - head.t > settleSeconds || BigInt(head.number) >= anchor.block;
    if (found === undefined && isBehind)
      throw new Error(`${chain.key}: the node is behind block ${String(anchor.block)}, which was sampled`);
    const actual = await rpc.getChainId();
    if (actual !== chainId) throw new Error(`${chain.key}: the node serves chain id ${actual}`);
    return 'replaced';
  }
  const final = tagged ?? (await createBlockFinder(rpc, head).lastBefore(head.t - settleSeconds)) ?? head;
  if (!anchor || anchor.block < BigInt(final.number)) await store.setAnchor(chainId, toAnchor(final));
  return { head, final };
}

const toAnchor = ({ number, hash }: Header): Anchor => ({ block: BigInt(number), hash });

/** Undefined where the node does not know the tag. */
async function readFinalized(rpc: PublicClient): Promise<Header | undefined> {
  try {
    return toHeader(await rpc.getBlock({ blockTag: 'finalized' }));
  } catch (error) {
    if (asUpstreamError(error, 'rpc')) throw error;
    return undefined;
  }
}
