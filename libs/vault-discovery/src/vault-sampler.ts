import { silentLogger } from './ports.js';
import type { ChainSamplerDeps } from './sampling/chain-sampler.js';
import { followChain } from './sampling/follow-chain.js';
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
  /** Whether this process stopped sampling the chain, because every node contradicts a block that was sampled. */
  isStopped(chainId: number): boolean;
}

const dayMs = 86_400_000;
/** Also after a failure, because retention blocks saves while it runs. */
const housekeepingMs = 3_600_000;

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
  const stopped = new Set<number>();
  const observer = {
    onFailure: (chainId: number) => failures.set(chainId, (failures.get(chainId) ?? 0) + 1),
    onStopped: (chainId: number, isStopped: boolean) =>
      isStopped ? stopped.add(chainId) : stopped.delete(chainId),
  };

  /** Each election starts without memory: another process may have written meanwhile. */
  const work = async (signal: AbortSignal) => {
    isSampling = true;
    logger.info({}, 'sampling');
    try {
      await Promise.all([
        ...deps.chains.map((chain) => followChain({ chain, deps, now, logger, signal }, observer)),
        keepHouse({ ...deps, now, logger, signal }),
      ]);
    } finally {
      isSampling = false;
      stopped.clear();
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
    isStopped: (chainId) => stopped.has(chainId),
  };
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
      const removed = await stores.snapshots.compact((now() - options.hourlyRetentionDays * dayMs) / 1_000);
      if (removed > 0) logger.info({ removed }, 'removed old hours: one snapshot a day stays');
    } catch (err) {
      logger.warn({ err }, 'removing old hours failed: repeated in an hour');
    }
    return 'done';
  };
  await repeat(compact, housekeepingMs, signal);
}
