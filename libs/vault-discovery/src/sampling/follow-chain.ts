import { type ActiveChain, asUpstreamError } from '@yield-vault/chains';
import type { PublicClient } from 'viem';
import { readHeaderIfAny } from '../chain/block-finder.js';
import type { Anchor } from '../ports.js';
import { type ChainSamplerDeps, createChainSampler } from './chain-sampler.js';
import { UnfitNodeError } from './chain-view.js';
import { type Outcome, repeat } from './repeat.js';

/** Time for the past before the first numbers of a chain are computed. */
const firstBackfillMs = 60_000;
/** Attempts in a row in which every node contradicts the anchor before sampling stops; pauses lie between them. */
const contradictionsUntilStop = 3;

/** Receives what an operator must know about a chain. */
export interface ChainObserver {
  onFailure(chainId: number): void;
  onStopped(chainId: number, isStopped: boolean): void;
}

/**
 * Sample a chain until the signal. Where the chain no longer has the block that was sampled last, either discard its
 * data and begin anew, or sample nothing and keep comparing: sampling resumes by itself once a node has the block
 * again, or once an operator discarded the data.
 */
export async function followChain(parts: ChainSamplerDeps, observer: ChainObserver): Promise<void> {
  const { chain, deps, logger, signal } = parts;
  const { chainId, key } = chain;
  const { snapshots } = deps.stores;
  const intervalMs = deps.options.sampleIntervalSeconds * 1_000;
  let sampler = createChainSampler(parts);
  let backfillMs = Math.max(firstBackfillMs, intervalMs);
  let isAnchored = false;
  /** One node samples alone, until it fails. */
  let isNarrowed = false;
  let contradictions = 0;

  const beginAnew = (rpc = chain.rpc) => {
    sampler = createChainSampler({ ...parts, chain: { ...chain, rpc } });
    isNarrowed = rpc !== chain.rpc;
    backfillMs = Math.max(firstBackfillMs, intervalMs);
    isAnchored = false;
  };

  const refresh = async (): Promise<Outcome> => {
    const anchor = await snapshots.anchor(chainId);
    // An operator discarded the chain.
    if (isAnchored && !anchor) beginAnew();
    const outcome = await sampler.refresh(backfillMs).catch((error: unknown) => {
      if (error instanceof UnfitNodeError && chain.nodes.length > 1) return error;
      if (isNarrowed) beginAnew();
      throw error;
    });
    if (outcome === 'replaced' || outcome instanceof UnfitNodeError) return resolveMismatch(outcome, anchor);
    isAnchored = true;
    contradictions = 0;
    observer.onStopped(chainId, false);
    backfillMs = intervalMs;
    return outcome;
  };

  const resolveMismatch = async (
    mismatch: 'replaced' | UnfitNodeError,
    anchor: Anchor | undefined,
  ): Promise<Outcome> => {
    // Another process may have been elected meanwhile.
    signal.throwIfAborted();
    if (mismatch === 'replaced' && deps.options.onReplacedChain === 'discard') {
      logger.warn({ chain: key }, 'the node serves another chain than before: reading it from the start');
      await snapshots.discardChain(chainId);
      beginAnew();
      return 'more';
    }
    const found = await Promise.all(chain.nodes.map((node) => compare(node, chain, anchor)));
    const place = found.indexOf('agrees');
    if (place >= 0) {
      contradictions = 0;
      logger.warn({ chain: key, nodes: found }, `sampling through node ${place + 1} alone: others are unfit`);
      beginAnew(chain.nodes[place]);
      return 'failed';
    }
    contradictions = found.every((result) => result === 'contradicts') ? contradictions + 1 : 0;
    if (contradictions === contradictionsUntilStop) {
      observer.onStopped(chainId, true);
      logger.error(
        { chain: key, chainId, block: String(anchor?.block), sampledHash: anchor?.hash },
        'sampling stopped: every node of the chain has another block than the one that was sampled. Nothing was ' +
          'deleted. Correct the nodes, or discard the data: yield-vault discard-chain',
      );
    }
    throw mismatch === 'replaced'
      ? new Error(`${key}: block ${String(anchor?.block)} is another one than the one that was sampled`)
      : mismatch;
  };

  await repeat(
    () =>
      refresh().catch((error: unknown) => {
        if (signal.aborted) return 'done';
        const err = asUpstreamError(error, `rpc:${key}`) ?? error;
        logger.warn({ chain: key, err }, 'sampling failed: the last numbers stay');
        observer.onFailure(chainId);
        return 'failed';
      }),
    intervalMs,
    signal,
  );
}

/** Compare one node with the block that was sampled last. `unknown`: it is down, behind, or serves another chain id. */
async function compare(
  node: PublicClient,
  { chainId }: Pick<ActiveChain, 'chainId'>,
  anchor: Anchor | undefined,
): Promise<'agrees' | 'contradicts' | 'unknown'> {
  try {
    const [actual, block] = await Promise.all([
      node.getChainId(),
      anchor && readHeaderIfAny(node, Number(anchor.block)),
    ]);
    if (actual !== chainId) return 'unknown';
    if (!anchor) return 'agrees';
    if (!block) return 'unknown';
    return block.hash === anchor.hash ? 'agrees' : 'contradicts';
  } catch {
    return 'unknown';
  }
}
