import { type ActiveChain, asUpstreamError } from '@yield-vault/chains';
import type { Job, JobOutcome } from '@yield-vault/database';
import type { PublicClient } from 'viem';
import { readHeaderIfAny } from '../chain/block-finder.js';
import type { Anchor } from '../ports.js';
import { type ChainSamplerDeps, createChainSampler } from './chain-sampler.js';
import { UnfitNodeError } from './chain-view.js';

/** Time for the past before the first numbers of a chain are computed. */
const firstBackfillMs = 60_000;
/** Attempts in a row in which every node contradicts the anchor before sampling stops; pauses lie between them. */
const contradictionsUntilStop = 3;

/**
 * The job that samples a chain. Where the chain no longer has the block that was sampled last, either discard its
 * data and begin anew, or sample nothing and keep comparing: sampling resumes by itself once a node has the block
 * again, or once an operator discarded the data.
 *
 * @param onStopped - receives whether sampling stopped
 */
export function sampleChain(parts: ChainSamplerDeps, onStopped: (isStopped: boolean) => void): Job {
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

  const refresh = async (): Promise<JobOutcome> => {
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
    onStopped(false);
    backfillMs = intervalMs;
    return outcome;
  };

  const resolveMismatch = async (
    mismatch: 'replaced' | UnfitNodeError,
    anchor: Anchor | undefined,
  ): Promise<JobOutcome> => {
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
      onStopped(true);
      logger.error(
        { chain: key, chainId, block: String(anchor?.block), sampledHash: anchor?.hash },
        'sampling stopped: every node of the chain has another block than the one that was sampled. Nothing was ' +
          'deleted. Correct the nodes, or discard the data: node apps/operator/bin/yield-vault.js discard-chain',
      );
    }
    throw mismatch === 'replaced'
      ? new Error(`${key}: block ${String(anchor?.block)} is another one than the one that was sampled`)
      : mismatch;
  };

  return {
    name: `sample:${key}`,
    intervalMs,
    run: () =>
      refresh().catch((error: unknown) => {
        throw asUpstreamError(error, `rpc:${key}`) ?? error;
      }),
  };
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
