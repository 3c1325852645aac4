import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger, type LoggerPort } from '@yield-vault/protocol';
import type { DatabaseHandle } from '../handle.js';
import type { Job, JobOutcome } from './job.js';
import { createLeadership } from '../leadership/create-leadership.js';

const firstRetryMs = 500;
const longestRetryMs = 60_000;
const failuresUntilParked = 10;
// Work that hangs must not keep this process from leading again.
const endingMs = 3_000;

export interface JobOptions {
  /** One of the processes that share the database runs the jobs. Without one, this process runs them. */
  readonly leader?: { readonly database: Pick<DatabaseHandle, 'openSession'>; readonly name: string };
  readonly logger?: LoggerPort;
  /** Called after each run. `parked`: it failed, and so did at least nine runs before it. */
  readonly onRun?: (job: string, outcome: 'succeeded' | 'failed' | 'parked') => void;
}

/** Jobs of this process. */
export interface RunningJobs {
  /** Whether this process runs the jobs. */
  isLeader(): boolean;
  /** End the jobs, wait some seconds for their running work, and let another process lead. */
  stop(): Promise<void>;
}

/**
 * Repeat jobs until they are stopped: each at once, then at its interval. After failures the pauses grow from half a second
 * to the interval, or to a minute if that is shorter. A job that failed ten times in a row is parked: an error is logged,
 * and its runs count as `parked` until one succeeds. No job delays another.
 *
 * @param begin - called whenever this process starts to run them. The signal aborts when the jobs are stopped or another
 *   process may lead; running work then has to end, and may overlap with work of the other process.
 * @example
 * const run = (signal: AbortSignal) => relay.resume(8453, signal).then(() => 'done' as const);
 * const sweep = { name: 'sweep', intervalMs: 10_000, run };
 * const jobs = startJobs(() => [sweep], { leader: { database, name: 'worker' }, logger });
 */
export function startJobs(
  begin: (signal: AbortSignal) => readonly Job[],
  { leader, logger = silentLogger, onRun }: JobOptions = {},
): RunningJobs {
  const stopping = new AbortController();
  let isRunning = false;

  const repeat = async (
    { name: job, intervalMs, leastRetryMs = 0, run }: Job,
    signal: AbortSignal,
  ): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      const begun = performance.now();
      const { outcome, err } = await attempt(run, signal);
      if (signal.aborted) return;
      if (outcome === 'failed') {
        failures += 1;
        if (failures === 1 && err) logger.warn({ err, job }, 'a job failed: it is repeated');
        if (failures === failuresUntilParked)
          logger.error({ err, job }, `a job is parked, and repeated: it failed ${failures} times in a row`);
      } else {
        if (failures > 0) logger.info({ job, failures }, 'a job works again');
        failures = 0;
      }
      const failed = failures < failuresUntilParked ? 'failed' : 'parked';
      onRun?.(job, failures === 0 ? 'succeeded' : failed);
      const retryMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1));
      const pausesMs = {
        done: intervalMs - (performance.now() - begun),
        failed: Math.min(intervalMs, Math.max(leastRetryMs, retryMs)),
        more: 0,
      };
      const pauseMs = typeof outcome === 'number' ? outcome : pausesMs[outcome];
      await sleep(Math.max(0, pauseMs), undefined, { signal }).catch(() => undefined);
    }
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    isRunning = true;
    // Every job waits on it.
    setMaxListeners(0, signal);
    try {
      const ended = Promise.all(begin(signal).map((job) => repeat(job, signal)));
      await Promise.race([ended, afterAbort(signal)]);
    } finally {
      isRunning = false;
    }
  };

  const leadership =
    leader &&
    createLeadership(leader.database, leader.name, {
      onError: (err) =>
        logger.warn({ err }, `the database does not respond: no ${leader.name} can be elected`),
      onOther: () => logger.info({}, `waiting: another process is the ${leader.name}`),
    });
  const running = leadership ? leadership.lead(work) : work(stopping.signal);

  return {
    isLeader: () => (leadership ? leadership.isLeader() : isRunning),
    stop: async () => {
      stopping.abort();
      await leadership?.stop();
      await running;
    },
  };
}

async function attempt(
  run: Job['run'],
  signal: AbortSignal,
): Promise<{ readonly outcome: JobOutcome; readonly err?: unknown }> {
  try {
    return { outcome: await run(signal) };
  } catch (err) {
    return { outcome: 'failed', err };
  }
}

async function afterAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  await sleep(endingMs, undefined, { ref: false });
}
