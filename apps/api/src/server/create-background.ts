import type { Logger } from 'pino';
import type { HealthMonitor } from '../health/create-health-monitor.js';
import type { Features } from '../ports.js';
import { within } from '../within.js';

export interface BackgroundOptions {
  /** Pause between two runs of the sweeper. */
  readonly sweepIntervalMs?: number;
  /** Pause before discovery is started again after it failed to start. */
  readonly restartDelayMs?: number;
  /** How long answers under way may take by themselves once the server stops. */
  readonly graceMs?: number;
  /** How long the relays may then take to give up waiting. */
  readonly drainDeadlineMs?: number;
  /** How long discovery and the forks, which write down their state, may then take to end. */
  readonly endDeadlineMs?: number;
  /** How long the database may take to close at last. */
  readonly closeDeadlineMs?: number;
}

export interface Background {
  start(): void;
  /** The server takes no new requests: end what only waits, once the time of grace is over. */
  beginStop(): void;
  /** Resolves when nothing of the server runs any more, forks and database included. */
  stop(): Promise<void>;
}

/** What runs beside the requests: probes, discovery, and the sweeper of the execution relay. */
export function createBackground(
  features: Features,
  health: HealthMonitor,
  logger: Logger,
  {
    sweepIntervalMs = 30_000,
    restartDelayMs = 5_000,
    graceMs = 5_000,
    // With the 8 s of answers under way 25 s, less than the 30 s after which an orchestrator kills.
    drainDeadlineMs = 5_000,
    endDeadlineMs = 9_000,
    closeDeadlineMs = 3_000,
  }: BackgroundOptions = {},
): Background {
  const { discovery, executionRelay, setupRelay, forks, database } = features;
  let stopped = false;
  let restart: NodeJS.Timeout | undefined;
  let sweeper: NodeJS.Timeout | undefined;
  let grace: NodeJS.Timeout | undefined;

  async function startDiscovery(): Promise<void> {
    try {
      await discovery.start();
      if (!stopped) logger.info('every active chain is ranked');
    } catch (err) {
      if (stopped) return;
      logger.error({ err }, 'discovery did not start and is tried again');
      restart = setTimeout(() => void startDiscovery(), restartDelayMs);
    }
  }

  async function sweep(): Promise<void> {
    try {
      await executionRelay.resume();
    } catch (err) {
      logger.error({ err }, 'the sweeper failed and is tried again');
    }
    // The next run is due only after this one, so that two never overlap.
    if (!stopped) sweeper = setTimeout(() => void sweep(), sweepIntervalMs);
  }

  const drainRelays = () => Promise.allSettled([executionRelay.drain(), setupRelay.drain()]);

  /** Wait for an end, but not forever: neither delay nor failure may keep the rest from being closed. */
  async function atMost(deadlineMs: number, ending: Promise<unknown>, late: string): Promise<void> {
    const outcome = ending.then(
      () => 'ended',
      (err: unknown) => logger.error({ err }, 'closing failed'),
    );
    if ((await within(outcome, deadlineMs, 'late')) === 'late') logger.warn(late);
  }

  return {
    start() {
      health.start();
      void startDiscovery();
      void sweep();
    },
    beginStop() {
      grace = setTimeout(() => void drainRelays(), graceMs);
    },
    async stop() {
      stopped = true;
      clearTimeout(grace);
      clearTimeout(restart);
      clearTimeout(sweeper);
      health.stop();
      await atMost(drainDeadlineMs, drainRelays(), 'transactions under way are left to the next start');
      await Promise.all([
        atMost(endDeadlineMs, discovery.stop(), 'discovery did not end in time'),
        atMost(endDeadlineMs, forks.close(), 'the forks did not end in time'),
      ]);
      await atMost(closeDeadlineMs, database.close(), 'the database did not close in time');
    },
  };
}
