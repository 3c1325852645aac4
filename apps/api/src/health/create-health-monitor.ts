import type { ChainProbe, Features } from '../ports.js';
import { within } from '../within.js';
import type { ChainHealth, HealthState } from './health-state.js';

type Probed = Pick<Features, 'chains' | 'database' | 'discovery' | 'probeChain'>;

export interface HealthMonitorOptions {
  /** Pause between two looks at one part. */
  readonly intervalMs?: number;
  /** Pause while the service starts. */
  readonly startIntervalMs?: number;
  /** How long a start that is not ready yet may take; what is still missing then may be missing for days. */
  readonly startMs?: number;
  /** How long one look may take before the part counts as down. */
  readonly deadlineMs?: number;
}

export interface HealthMonitor {
  start(): void;
  stop(): void;
  read(): HealthState;
}

const unseen: ChainProbe = { blockNumber: null, rpc: 'down', bundler: 'down' };

/**
 * Look at every part in the background, each on its own so that a stuck one holds up none of the others, and
 * keep what was found.
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

  async function watch(name: string, look: () => Promise<void>): Promise<void> {
    await look();
    if (stopped) return;
    const isStarting = performance.now() < startUntil && !read().ready;
    const timer = setTimeout(() => void watch(name, look), isStarting ? startIntervalMs : intervalMs);
    timers.set(name, timer.unref());
  }

  return {
    read,
    start() {
      stopped = false;
      startUntil = performance.now() + startMs;
      void watch('database', async () => {
        const answers = Promise.resolve()
          .then(() => database.ping())
          .then(() => true);
        databaseUp = await within(answers, deadlineMs, false);
      });
      for (const key of chains.keys) {
        void watch(`chain:${key}`, async () => {
          const look = Promise.resolve().then(() => probeChain(key));
          found.set(key, await within(look, deadlineMs, unseen));
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
