import type { ChainEvents } from '@yield-vault/chain-events';
import { createActiveChains, walletChains, type UpstreamObserver } from '@yield-vault/chains';
import { startJobs, type DatabaseHandle, type Job } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import {
  archiveIntents,
  countIntents,
  createDatabaseIntentStore,
  createExecutionRelay,
} from '@yield-vault/execution-relay';
import { createForkClient } from '@yield-vault/forks/client';
import { createDatabasePaymentLedger, sweepPayments } from '@yield-vault/payments';
import {
  createVaultDiscovery,
  createVaultSampler,
  type RegistryEntry,
  type VaultDiscovery,
} from '@yield-vault/vault-discovery';
import { withTimeout } from '@yield-vault/server';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { privateKeyToAccount } from 'viem/accounts';
import { createFundsGauges, createLedgerGauges } from './gauges.js';
import { createPriceKeeper } from './keep-price.js';
import { measureIntents } from './measure-intents.js';
import { metricPrefix } from './metric-prefix.js';
import { openChainEvents } from './open-chain-events.js';
import { createHoldersReader } from './read-holders.js';
import { openPositions, paymentChains } from './open-features.js';

const sweepIntervalMs = 10_000;
const healthDeadlineMs = 2_000;
const archiveIntervalMs = 3_600_000;
// A failed run may have waited for the locks of its batch.
const archiveRetryMs = 60_000;

export interface WorkerParts {
  /** Vaults to watch. */
  readonly registry: readonly RegistryEntry[];
  readonly database: DatabaseHandle;
  readonly logger: Logger;
  /** Takes the metrics of the worker. */
  readonly metrics: Registry;
  /** Measures the upstreams of the worker. */
  readonly observer?: UpstreamObserver;
  /** The discovery of this process, whose job its owner runs. By default the worker has its own. */
  readonly discovery?: VaultDiscovery;
  /** The events of this process; by default the worker has its own. */
  readonly events?: ChainEvents;
}

/** State of the work. */
export interface WorkerHealth {
  /** `degraded`: the database is down, or this process leads and a job is parked or a chain is not followed. */
  readonly status: 'ok' | 'degraded';
  readonly leader: boolean;
  readonly database: 'ok' | 'down';
  /** Jobs of this process that failed ten times in a row. */
  readonly parked: readonly unknown[];
  /** By chain: the newest block whose events are stored; `null` while nobody follows it. */
  readonly followed: Readonly<Record<string, number | null>>;
}

export interface RunningWorker {
  /** Whether this process does the work: of all processes that share a database, one does. */
  isLeader(): boolean;
  /** Read how the work goes. Never throws. A standby is healthy. */
  health(): Promise<WorkerHealth>;
  /** End the work, and let another process lead. The database stays open. */
  stop(): Promise<void>;
}

/** Start everything of a deployment that runs by itself: each part is a job, and one process at a time runs the jobs. */
export function startWorker(deployment: Deployment, parts: WorkerParts): RunningWorker {
  const { registry, database, logger, metrics, observer } = parts;
  const { discovery: options, relay, intents, payments, keeper } = deployment;
  const forks = deployment.forks.provider === 'service' ? createForkClient(deployment.forks) : undefined;
  const chains = createActiveChains(deployment, { observer });
  const walletChainConfigs = walletChains(deployment.chains, forks);
  const activeWalletChains = createActiveChains(
    { chains: walletChainConfigs },
    { observer, observedAs: 'wallet-rpc' },
  );
  const events = parts.events ?? openChainEvents(deployment, parts);
  const vaults = parts.discovery ?? createVaultDiscovery({ chains, database, options, logger });
  const holdersOf = createHoldersReader(database);
  const sampler = createVaultSampler({ chains, database, registry, options, logger, holdersOf });
  const positions = openPositions(walletChainConfigs, { vaults, events, database, logger });
  const executionRelay = createExecutionRelay({
    chains: activeWalletChains,
    store: createDatabaseIntentStore(database),
    vaults,
    events,
    options: { waitSeconds: relay.executeWaitSeconds, lifetimeSeconds: intents.expirySeconds },
    onResolved: measureIntents(metrics),
  });
  const archive: Job = {
    name: 'intent-archive',
    intervalMs: archiveIntervalMs,
    leastRetryMs: archiveRetryMs,
    run: async (signal) => {
      await archiveIntents(database, { days: intents.archiveDays, signal });
      return 'done';
    },
  };
  const keeperAccount = keeper.privateKey && privateKeyToAccount(keeper.privateKey);
  const ledger = payments.mode === 'on' ? createDatabasePaymentLedger(database, payments) : undefined;
  const gauges = [
    createLedgerGauges(() => countIntents(database), ledger && (() => ledger.inFlight()), metrics),
    createFundsGauges(
      activeWalletChains,
      { gasAccount: gasAccountOf(deployment), keeper: keeperAccount?.address },
      (chainId, fault) =>
        database.db
          .updateTable('followed_chain')
          .set({ paymaster_fault: fault })
          .where('chain_id', '=', BigInt(chainId))
          .execute(),
      keeper.maxCostUsdc,
      metrics,
    ),
  ];
  const resolved = new Counter({
    name: `${metricPrefix}payments_resolved_total`,
    help: 'Payments of unknown outcome that the worker resolved from the chain.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of ['settled', 'lost']) resolved.inc({ outcome }, 0);
  const sweeps = activeWalletChains.all.map(({ key, chainId }) =>
    sweep(`intents:${key}`, (signal) => executionRelay.resume(chainId, signal)),
  );
  if (payments.mode === 'on' && ledger)
    sweeps.push(
      ...paymentChains(payments, activeWalletChains).map((chain) =>
        sweep(`payments:${chain.key}`, (signal) =>
          sweepPayments(chain, ledger, (outcome) => resolved.inc({ outcome }), signal),
        ),
      ),
      sweep('payment-retention', () => ledger.purge()),
    );

  const keepers = !keeperAccount
    ? []
    : activeWalletChains.all
        // The price on a fork never expires.
        .filter(({ relayMode, paymaster }) => relayMode === 'chain' && paymaster.kind === 'own')
        .map((chain) => createPriceKeeper(chain, keeperAccount, keeper, logger));

  const runs = new Counter({
    name: `${metricPrefix}job_runs_total`,
    help: 'Runs of the jobs of the worker in this process.',
    labelNames: ['job_name', 'outcome'],
    registers: [metrics],
  });
  const parked = new Gauge({
    name: `${metricPrefix}job_parked`,
    help: '1 when a job of the worker failed ten times in a row, until it succeeds.',
    labelNames: ['job_name'],
    registers: [metrics],
  });
  const begin = (signal: AbortSignal): readonly Job[] => {
    logger.info('this process is the worker');
    signal.addEventListener('abort', () => [...gauges, parked].forEach((each) => each.reset()));
    const jobs = [
      ...events.jobs,
      ...sampler.begin(signal),
      ...(parts.discovery ? [] : [vaults.job]),
      ...sweeps,
      ...keepers,
      archive,
      ...positions.jobs,
      ...gauges.map(({ job }) => job),
    ];
    // Rates miss a counter that begins at 1.
    for (const { name } of jobs) runs.inc({ job_name: name, outcome: 'failed' }, 0);
    return jobs;
  };
  const jobs = startJobs(begin, {
    leader: { database, name: 'worker' },
    logger,
    onRun: (name, outcome) => {
      runs.inc({ job_name: name, outcome });
      parked.set({ job_name: name }, outcome === 'parked' ? 1 : 0);
    },
  });
  new Gauge({
    name: `${metricPrefix}worker_leader`,
    help: '1 when this process does the work of the worker.',
    registers: [metrics],
    collect() {
      this.set(jobs.isLeader() ? 1 : 0);
    },
  });
  new Gauge({
    name: `${metricPrefix}sampling_stopped`,
    help: '1 when sampling of a chain stopped, because every node contradicts a block that was sampled.',
    labelNames: ['chain'],
    registers: [metrics],
    collect() {
      for (const { key, chainId } of chains.all) this.set({ chain: key }, sampler.isStopped(chainId) ? 1 : 0);
    },
  });
  new Gauge({
    name: `${metricPrefix}source_age_seconds`,
    help: 'Time since a source of the catalogue responded, or since its first request. Absent where this process is not the worker.',
    labelNames: ['source'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const [source, at] of jobs.isLeader() ? sampler.respondedAt : [])
        this.set({ source }, (Date.now() - at) / 1_000);
    },
  });
  return {
    isLeader: () => jobs.isLeader(),
    async health() {
      const leader = jobs.isLeader();
      const { values } = await parked.get();
      const parkedJobs = values.filter(({ value }) => value > 0).map(({ labels }) => labels.job_name);
      const reads = chains.all.map(async ({ key, chainId }) => {
        const block = await events.newestBlock(chainId);
        return [key, block === undefined ? null : Number(block)] as const;
      });
      const read = await withTimeout(Promise.all(reads), healthDeadlineMs, undefined);
      const isWhole = parkedJobs.length === 0 && read?.every(([, block]) => block !== null);
      return {
        status: read && (isWhole || !leader) ? 'ok' : 'degraded',
        leader,
        database: read ? 'ok' : 'down',
        parked: parkedJobs,
        followed: Object.fromEntries(read ?? []),
      };
    },
    stop: () => Promise.all([jobs.stop(), executionRelay.drain()]).then(() => undefined),
  };
}

const sweep = (name: string, run: (signal: AbortSignal) => Promise<void>): Job => ({
  name,
  intervalMs: sweepIntervalMs,
  run: (signal) => run(signal).then(() => 'done' as const),
});

/** The account that pays the gas of the embedded facilitator. */
function gasAccountOf({ payments }: Pick<Deployment, 'payments'>) {
  if (payments.mode === 'off' || payments.facilitator.kind !== 'embedded') return undefined;
  return privateKeyToAccount(payments.facilitator.privateKey).address;
}
