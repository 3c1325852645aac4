import { type ActiveChain, asUpstreamError } from '@yield-vault/chains';
import type { PublicClient } from 'viem';
import {
  createBlockFinder,
  type Header,
  readHeader,
  readHeaderIfAny,
  toHeader,
} from '../chain/block-finder.js';
import { hourSeconds } from '@yield-vault/vault-metrics';
import type { Anchor, SnapshotStore } from '../ports.js';

/** A block this deep counts as final where the node does not know the `finalized` tag, in seconds. */
const depthWithoutTag = 120;
/** Beyond this lag of the `finalized` tag, in seconds, depth decides, because the chain may never finalize. */
const maxFinalityLag = hourSeconds;

/** The node does not serve the chain that was sampled: it is behind, or serves another chain id. */
export class UnfitNodeError extends Error {}

/** A chain at one moment. */
export interface ChainView {
  readonly head: Header;
  /** This block and older ones do not change any more. */
  readonly final: Header;
  /** Unix seconds. Every block up to this time is final. */
  readonly finalTime: number;
}

export interface ChainViewDeps {
  readonly chain: Pick<ActiveChain, 'chainId' | 'key' | 'rpc'>;
  readonly store: Pick<SnapshotStore, 'anchor' | 'setAnchor'>;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
}

/**
 * Read the head and the newest final block, and check that the chain is still the one that was sampled: the anchor
 * must be one of its blocks. The final block becomes the new anchor.
 *
 * @returns `replaced` when the node serves another chain, for example a local chain that started again
 * @throws {UnfitNodeError} when the node is behind the anchor, or serves another chain id
 * @throws when the node does not respond
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
    // A syncing node has an old head; behind a load balancer, head and anchor may come from different nodes.
    const mayBeLagging = now() / 1_000 - head.t > depthWithoutTag || BigInt(head.number) >= anchor.block;
    if (found === undefined && mayBeLagging)
      throw new UnfitNodeError(
        `${chain.key}: the node is behind block ${String(anchor.block)}, which was sampled`,
      );
    const actual = await rpc.getChainId();
    if (actual !== chainId) throw new UnfitNodeError(`${chain.key}: the node serves chain id ${actual}`);
    return 'replaced';
  }
  const { final, finalTime } = await finalOf(rpc, head, tagged);
  if (!anchor || anchor.block < BigInt(final.number)) await store.setAnchor(chainId, toAnchor(final));
  return { head, final, finalTime };
}

async function finalOf(
  rpc: PublicClient,
  head: Header,
  tagged: Header | undefined,
): Promise<Pick<ChainView, 'final' | 'finalTime'>> {
  if (tagged && head.t - tagged.t <= maxFinalityLag) return { final: tagged, finalTime: tagged.t };
  const finalTime = head.t - depthWithoutTag;
  const final = await createBlockFinder(rpc, head).lastBefore(finalTime);
  return final ? { final, finalTime } : { final: tagged ?? head, finalTime: (tagged ?? head).t };
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
