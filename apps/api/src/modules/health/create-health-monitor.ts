import type { ActiveChains, ChainProbe as NodeProbe } from '@yield-vault/chains';
import { startJobs, type RunningJobs, type DatabaseHandle, type Job } from '@yield-vault/database';
import type { ChainReadiness, Ready } from '@yield-vault/protocol';
import { withTimeout } from '@yield-vault/server';
import type { Freshness, VaultDiscovery } from '@yield-vault/vault-discovery';

/** Result of the probe of one chain. */
export interface ChainProbe extends NodeProbe {
  /** What the chain lacks otherwise: `contracts`, `archive`, `paymaster`, `deposit` or `follower`. */
  readonly missing?: readonly string[];
}

/** Probe one chain within its own deadlines. Never throws. */
export type ProbeChain = (key: string) => Promise<ChainProbe>;

/** The result of the last probe of a chain, as `/health` shows it. */
export interface ChainHealth extends Pick<ChainProbe, 'blockNumber' | 'rpc' | 'bundler'> {
  readonly chainId: number;
  /** Why it is not ready. */
  readonly reasons: readonly string[];
}

/** The state of the parts of the service. Reading it never waits. */
export interface HealthState {
  readonly status: 'ok' | 'degraded';
  /** The database is up, and redeems are possible on at least one ranked chain. */
  readonly ready: boolean;
  /** Parts that do not work. */
  readonly waitingFor: readonly string[];
  /** By chain key. */
  readonly readiness: Ready['chains'];
  readonly database: 'ok' | 'down';
  readonly freshness: Freshness;
  readonly chains: Readonly<Record<string, ChainHealth>>;
  /** The bundlers of all chains by name, once they were probed. */
  readonly bundlers: ChainProbe['bundlers'];
}

interface Probed {
  readonly chains: Pick<ActiveChains, 'keys'> & {
    require(key: string): { readonly chainId: number };
  };
  readonly database: Pick<DatabaseHandle, 'ping'>;
  readonly discovery: Pick<VaultDiscovery, 'freshness' | 'isRanked'>;
  readonly probeChain: ProbeChain;
}

export interface HealthMonitorOptions {
  /** Pause between two probes of one part. */
  readonly intervalMs?: number;
  /** Pause while the service starts. */
  readonly startIntervalMs?: number;
  /** Time after which a missing part no longer counts as a slow start. */
  readonly startMs?: number;
  /** Time after which a probe counts as failed. */
  readonly deadlineMs?: number;
}

export interface HealthMonitor {
  start(): void;
  /** End the probes and wait for those that run. */
  stop(): Promise<void>;
  read(): HealthState;
}

// Redeems go on without them, so a load balancer must not drop the server.
const isBearable = (reason: string): boolean => /^(archive|follower):/.test(reason);

const unseen: ChainProbe = { blockNumber: null, rpc: 'down', bundler: 'down', bundlers: {} };

/**
 * Probe every part in the background and keep the results. Each part has a job of its own, so that a slow one delays no
 * other.
 */
export function createHealthMonitor(
  { chains, database, discovery, probeChain }: Probed,
  {
    intervalMs = 5_000,
    startIntervalMs = 250,
    startMs = 60_000,
    deadlineMs = 15_000,
  }: HealthMonitorOptions = {},
): HealthMonitor {
  const found = new Map<string, ChainProbe>();
  let databaseUp = false;
  let startUntil = 0;
  let jobs: RunningJobs | undefined;

  function read(): HealthState {
    const byKey = Object.fromEntries(
      chains.keys.map((key): [string, ChainHealth] => {
        const { blockNumber, rpc, bundler, missing = [] } = found.get(key) ?? unseen;
        const lacks = [
          discovery.isRanked(key) || 'ranking',
          rpc === 'ok' || 'rpc',
          bundler !== 'down' || 'bundler',
          ...missing,
        ];
        const reasons = lacks.filter((part) => part !== true).map((part) => `${part}:${key}`);
        return [key, { chainId: chains.require(key).chainId, blockNumber, rpc, bundler, reasons }];
      }),
    );
    const freshness = discovery.freshness();
    const readiness = Object.fromEntries(
      Object.entries(byKey).map(([key, { reasons }]): [string, ChainReadiness] => [
        key,
        { ready: reasons.length === 0, reasons },
      ]),
    );
    const reasonsOfChains = Object.values(byKey).map(({ reasons }) => reasons);
    const waitingFor = [...(databaseUp ? [] : ['database']), ...reasonsOfChains.flat()];
    const isWhole = waitingFor.length === 0;
    return {
      status: isWhole && freshness.snapshotFreshnessStatus === 'healthy' ? 'ok' : 'degraded',
      ready: databaseUp && reasonsOfChains.some((reasons) => reasons.every(isBearable)),
      waitingFor,
      readiness,
      database: databaseUp ? 'ok' : 'down',
      freshness,
      chains: byKey,
      bundlers: Object.fromEntries([...found.values()].flatMap(({ bundlers }) => Object.entries(bundlers))),
    };
  }

  const watch = <T>(name: string, probe: () => Promise<T>, failed: T, keep: (result: T) => void): Job => ({
    name,
    intervalMs,
    run: async () => {
      // A probe may also throw at once.
      const result = Promise.resolve().then(probe);
      keep(await withTimeout(result, deadlineMs, failed));
      const isStarting = performance.now() < startUntil && read().waitingFor.length > 0;
      return isStarting ? startIntervalMs : intervalMs;
    },
  });

  return {
    read,
    start() {
      startUntil = performance.now() + startMs;
      const ping = () => database.ping().then(() => true);
      jobs = startJobs(() => [
        watch('database', ping, false, (isUp) => (databaseUp = isUp)),
        ...chains.keys.map((key) =>
          watch(
            `chain:${key}`,
            () => probeChain(key),
            unseen,
            (probe) => found.set(key, probe),
          ),
        ),
      ]);
    },
    async stop() {
      await jobs?.stop();
    },
  };
}
