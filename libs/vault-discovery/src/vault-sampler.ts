import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import type { Catalogue } from './catalogue/create-catalogue.js';
import type { Prober } from './capability/create-prober.js';
import type { ExternalChart } from './charts/types.js';
import {
  silentLogger,
  type BrokenReadStore,
  type CapabilityStore,
  type DroppedRecord,
  type LoggerPort,
  type ReportStore,
  type SnapshotRetention,
  type SnapshotStore,
  type StoredReport,
} from './ports.js';
import type { PricedAsset, Pricer } from './prices/types.js';
import { createChainSampler, type ChainSamplerDeps } from './sampling/create-chain-sampler.js';
import { repeat, type Outcome } from './sampling/repeat.js';

/** What the sampler writes to. */
export interface SamplerStores {
  readonly snapshots: SnapshotStore;
  readonly brokenReads: BrokenReadStore;
  readonly capabilities: CapabilityStore;
  readonly reports: ReportStore;
  readonly retention: SnapshotRetention;
}

/** Sees to it that of several processes one samples; `createLeadership` of the database fits. */
export interface LeadershipPort {
  /** Do the work whenever this process is elected; the signal tells that it no longer is. Resolves on `stop`. */
  lead(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Whether it is this process that samples. */
  isLeader(): boolean;
  stop(): Promise<void>;
}

export interface SamplerOptions {
  /** Seconds between two looks at the head of a chain. */
  readonly sampleIntervalSeconds: number;
  /** How far back a chain is read. */
  readonly backfillHours: number;
  /** Hours of the past that are saved at once (48); fewer where there are many vaults. */
  readonly hoursPerSave?: number;
  /** Vaults below it are not listed. */
  readonly minTvlUsd: number;
  /** Reads in one call of Multicall3. */
  readonly multicallBatchSize: number;
  /** Gas that one read may burn. */
  readonly readGasLimit: number;
  /** Seconds between two simulated deposits into a vault. */
  readonly probeIntervalSeconds: number;
  /** Age from which the verdict of a simulation no longer counts. */
  readonly maxProbeAgeSeconds: number;
  /** Days for which every hour is kept; after that one snapshot a day. */
  readonly hourlyRetentionDays: number;
}

/** Numbers of a chain as they were computed and stored just now: of all its vaults. */
export interface ChainReports {
  readonly chainId: number;
  /** Of the report store. */
  readonly version: bigint;
  /** Time of the newest snapshot behind them, Unix seconds. */
  readonly newestSnapshot: number;
  readonly reports: readonly StoredReport[];
  readonly dropped: readonly DroppedRecord[];
}

export interface VaultSamplerDeps {
  readonly chains: readonly ActiveChain[];
  readonly catalogue: Pick<Catalogue, 'entries'>;
  readonly stores: SamplerStores;
  /** Left out: this process is the only one. */
  readonly leadership?: LeadershipPort;
  readonly pricerOf: (chain: ActiveChain, assets: readonly PricedAsset[]) => Promise<Pricer> | Pricer;
  /** Left out: no vault is ever found to take deposits. */
  readonly proberOf?: (chain: ActiveChain) => Prober;
  /** Stands in for the past that no node has the state of. */
  readonly chart?: ExternalChart;
  readonly options: SamplerOptions;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
  readonly logger?: LoggerPort;
  /** Told after the numbers were stored. */
  readonly onReports?: (reports: ChainReports) => void | Promise<void>;
  /** Told when this process begins to sample (true) and when another one took over (false). */
  readonly onLead?: (isLeader: boolean) => void;
  /** Told when an attempt to sample a chain failed; it is repeated. */
  readonly onFailure?: (chainId: number) => void;
}

/** Reads the chains into the store, and computes the numbers of every vault. */
export interface VaultSampler {
  /** Begin, once elected. Never throws: what is down is tried again. */
  start(): void;
  /** End, and wait for what is under way. */
  stop(): Promise<void>;
  /** Whether it is this process that samples. */
  isLeader(): boolean;
}

const dayMs = 86_400_000;
/** Also after a failure: it keeps samples from being saved while it works. */
const housekeepingMs = 3_600_000;
/** How long the past may be read before the numbers of a chain are computed for the first time. */
const firstBackfillMs = 60_000;

/**
 * Create the sampler of a deployment: the write side of discovery. One loop for each chain looks at its head at
 * every interval, reads what is missing of its past meanwhile, and computes the numbers of all its vaults. Nothing
 * that is down ends it; what was computed last stays.
 *
 * @example
 * const sampler = createVaultSampler({ chains, catalogue, stores, leadership, pricerOf, proberOf, options });
 * sampler.start();
 */
export function createVaultSampler(deps: VaultSamplerDeps): VaultSampler {
  const { leadership, onLead, now = Date.now, logger = silentLogger } = deps;
  const stopping = new AbortController();
  let isSampling = false;
  let running: Promise<void> | undefined;

  /** Everything begins anew with each election: another process may have written meanwhile. */
  const work = async (signal: AbortSignal) => {
    isSampling = true;
    onLead?.(true);
    try {
      await Promise.all([
        ...deps.chains.map((chain) => followChain({ chain, deps, now, logger, signal })),
        keepHouse({ ...deps, now, logger, signal }),
      ]);
    } finally {
      isSampling = false;
    }
    if (!stopping.signal.aborted) onLead?.(false);
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
  };
}

async function followChain(parts: ChainSamplerDeps): Promise<void> {
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
    // Another process may have been elected meanwhile, and have begun anew already.
    signal.throwIfAborted();
    logger.warn({ chain: chain.key }, 'this is not the chain that was sampled before: reading it anew');
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
        deps.onFailure?.(chain.chainId);
        return 'failed';
      }),
    intervalMs,
    signal,
  );
}

/** Now and then, thin out what is older than the hours that are kept. */
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
      if (removed > 0) logger.info({ removed }, 'old hours were thinned out to days');
    } catch (err) {
      logger.warn({ err }, 'old hours could not be thinned out: tried again in an hour');
    }
    return 'done';
  };
  await repeat(compact, housekeepingMs, signal);
}
