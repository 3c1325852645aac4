import { asUpstreamError } from '@yield-vault/chains';
import { silentLogger } from './ports.js';
import { type ChainSamplerDeps, createChainSampler } from './sampling/chain-sampler.js';
import { type Outcome, repeat } from './sampling/repeat.js';
import type { VaultSamplerDeps } from './sampling/sampler-deps.js';

/** Reads the chains into the store, and computes the numbers of every vault. */
export interface VaultSampler {
  /** Start sampling once elected. Never throws: failures are repeated. */
  start(): void;
  /** Stop, and wait for running work. */
  stop(): Promise<void>;
  /** Whether this process samples. */
  isLeader(): boolean;
  /** Failed attempts to sample a chain since the start; each is repeated. */
  failuresOf(chainId: number): number;
}

const dayMs = 86_400_000;
/** Also after a failure, because retention blocks saves while it runs. */
const housekeepingMs = 3_600_000;
/** Time for the past before the first numbers of a chain are computed. */
const firstBackfillMs = 60_000;

/**
 * Create the sampler of a deployment: the write side of discovery. One loop for each chain samples the head at every
 * interval, reads missing hours meanwhile, and computes the numbers of all vaults. Failures are repeated; the last
 * numbers stay.
 *
 * @example
 * const sampler = createVaultSampler({ chains, catalogue, stores, leadership, pricerOf, proberOf, options });
 * sampler.start();
 */
export function createVaultSampler(deps: VaultSamplerDeps): VaultSampler {
  const { leadership, now = Date.now, logger = silentLogger } = deps;
  const stopping = new AbortController();
  let isSampling = false;
  let running: Promise<void> | undefined;
  const failures = new Map<number, number>();
  const onFailure = (chainId: number) => failures.set(chainId, (failures.get(chainId) ?? 0) + 1);

  /** Each election starts without memory: another process may have written meanwhile. */
  const work = async (signal: AbortSignal) => {
    isSampling = true;
    logger.info({}, 'sampling');
    try {
      await Promise.all([
        ...deps.chains.map((chain) => followChain({ chain, deps, now, logger, signal }, onFailure)),
        keepHouse({ ...deps, now, logger, signal }),
      ]);
    } finally {
      isSampling = false;
    }
    if (!stopping.signal.aborted) logger.info({}, 'no longer sampling');
  };

  return {
    start: () => {
      running ??= leadership ? leadership.lead(work) : work(stopping.signal);
    },
    stop: async () => {
      stopping.abort();
      await leadership?.stop();
      await running;
    },
    isLeader: () => isSampling,
    failuresOf: (chainId) => failures.get(chainId) ?? 0,
  };
}

async function followChain(parts: ChainSamplerDeps, onFailure: (chainId: number) => void): Promise<void> {
  const { chain, deps, logger, signal } = parts;
  const intervalMs = deps.options.sampleIntervalSeconds * 1_000;
  let sampler = createChainSampler(parts);
  let backfillMs = Math.max(firstBackfillMs, intervalMs);

  const refresh = async (): Promise<Outcome> => {
    const outcome = await sampler.refresh(backfillMs);
    if (outcome !== 'replaced') {
      backfillMs = intervalMs;
      return outcome;
    }
    // Another process may have been elected meanwhile.
    signal.throwIfAborted();
    logger.warn({ chain: chain.key }, 'the node serves another chain than before: reading it from the start');
    await deps.stores.snapshots.discardChain(chain.chainId);
    sampler = createChainSampler(parts);
    backfillMs = Math.max(firstBackfillMs, intervalMs);
    return 'more';
  };

  await repeat(
    () =>
      refresh().catch((error: unknown) => {
        if (signal.aborted) return 'done';
        const err = asUpstreamError(error, `rpc:${chain.key}`) ?? error;
        logger.warn({ chain: chain.key, err }, 'sampling failed: the last numbers stay');
        onFailure(chain.chainId);
        return 'failed';
      }),
    intervalMs,
    signal,
  );
}

/** Every hour, remove hourly snapshots that are older than the retention. */
async function keepHouse({
  stores,
  options,
  now,
  logger,
  signal,
}: Pick<ChainSamplerDeps, 'now' | 'logger' | 'signal'> & Pick<VaultSamplerDeps, 'stores' | 'options'>) {
  const compact = async (): Promise<Outcome> => {
    try {
      const removed = await stores.retention.compact((now() - options.hourlyRetentionDays * dayMs) / 1_000);
      if (removed > 0) logger.info({ removed }, 'removed old hours: one snapshot a day stays');
    } catch (err) {
      logger.warn({ err }, 'removing old hours failed: repeated in an hour');
    }
    return 'done';
  };
  await repeat(compact, housekeepingMs, signal);
}
