import type { ChainProbe, ChainsPort, Features } from '../../ports.js';
import type { Freshness } from '@yield-vault/vault-discovery';
import { withTimeout } from '@yield-vault/server';

/** The result of the last probe of a chain, as `/health` shows it. */
export interface ChainHealth extends Omit<ChainProbe, 'contracts' | 'newestBlock'> {
  readonly chainId: number;
}

/** The state of the parts of the service. Reading it never waits. */
export interface HealthState {
  readonly status: 'ok' | 'degraded';
  readonly ready: boolean;
  /** Dependencies that readiness waits for. */
  readonly waitingFor: readonly string[];
  readonly database: 'ok' | 'down';
  readonly freshness: Freshness;
  readonly chains: Readonly<Record<string, ChainHealth>>;
}

type Probed = Pick<Features, 'database' | 'discovery' | 'probeChain'> & { readonly chains: ChainsPort };

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
  stop(): void;
  read(): HealthState;
}

const unseen: ChainProbe = { blockNumber: null, rpc: 'down', bundler: 'down' };

/**
 * Probe every part in the background and keep the results. Each part has its own timer, so that a slow one delays no
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
  let stopped = true;
  let startUntil = 0;
  const timers = new Map<string, NodeJS.Timeout>();

  function read(): HealthState {
    const byKey = Object.fromEntries(
      chains.keys.map((key): [string, ChainHealth] => {
        const { blockNumber, rpc, bundler } = found.get(key) ?? unseen;
        return [key, { chainId: chains.require(key).chainId, blockNumber, rpc, bundler }];
      }),
    );
    const freshness = discovery.freshness();
    const waitingFor = [
      ...(databaseUp ? [] : ['database']),
      ...(discovery.isReady() ? [] : ['ranking']),
      ...Object.entries(byKey).flatMap(([key, { rpc, bundler }]) => [
        ...(rpc === 'ok' ? [] : [`rpc:${key}`]),
        ...(bundler === 'down' ? [`bundler:${key}`] : []),
        ...(found.get(key)?.contracts === 'missing' ? [`contracts:${key}`] : []),
      ]),
    ];
    const ready = waitingFor.length === 0;
    return {
      status: ready && freshness.snapshotFreshnessStatus === 'healthy' ? 'ok' : 'degraded',
      ready,
      waitingFor,
      database: databaseUp ? 'ok' : 'down',
      freshness,
      chains: byKey,
    };
  }

  async function watch(name: string, probe: () => Promise<void>): Promise<void> {
    await probe();
    if (stopped) return;
    const isStarting = performance.now() < startUntil && !read().ready;
    const timer = setTimeout(() => void watch(name, probe), isStarting ? startIntervalMs : intervalMs);
    timers.set(name, timer.unref());
  }

  return {
    read,
    start() {
      stopped = false;
      startUntil = performance.now() + startMs;
      void watch('database', async () => {
        const responses = Promise.resolve()
          .then(() => database.ping())
          .then(() => true);
        databaseUp = await withTimeout(responses, deadlineMs, false);
      });
      for (const key of chains.keys) {
        void watch(`chain:${key}`, async () => {
          const result = Promise.resolve().then(() => probeChain(key));
          found.set(key, await withTimeout(result, deadlineMs, unseen));
        });
      }
    },
    stop() {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
