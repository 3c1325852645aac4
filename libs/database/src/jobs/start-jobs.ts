import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger, type LoggerPort } from '@yield-vault/protocol';
import type { DatabaseHandle } from '../handle.js';
import type { Job, JobOutcome } from './job.js';
import { createLeadership } from '../leadership/create-leadership.js';

const firstRetryMs = 500;
const maxRetryMs = 15_000;
// Work that hangs must not keep this process from leading again.
const endingMs = 3_000;

export interface JobOptions {
  /** One of the processes that share the database runs the jobs. Without one, this process runs them. */
  readonly leader?: { readonly database: Pick<DatabaseHandle, 'openSession'>; readonly name: string };
  readonly logger?: Pick<LoggerPort, 'info' | 'warn'>;
  /** Called after each run. */
  readonly onRun?: (job: string, outcome: 'succeeded' | 'failed') => void;
}

/** Jobs of this process. */
export interface RunningJobs {
  /** Whether this process runs the jobs. */
  isLeader(): boolean;
  /** End the jobs, wait some seconds for their running work, and let another process lead. */
  stop(): Promise<void>;
}

/**
 * Repeat jobs until they are stopped: each at once, then at its interval, and sooner after a failure.
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

  const attempt = async (name: string, run: Job['run'], signal: AbortSignal): Promise<JobOutcome> => {
    try {
      return await run(signal);
    } catch (err) {
      if (!signal.aborted) logger.warn({ err, job: name }, 'a job failed: it is repeated');
      return 'failed';
    }
  };

  const repeat = async ({ name, intervalMs, run }: Job, signal: AbortSignal): Promise<void> => {
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      const begun = performance.now();
      const outcome = await attempt(name, run, signal);
      if (signal.aborted) return;
      onRun?.(name, outcome === 'failed' ? 'failed' : 'succeeded');
      const pausesMs = {
        done: intervalMs - (performance.now() - begun),
        failed: Math.min(intervalMs, retryMs),
        more: 0,
      };
      retryMs = outcome === 'failed' ? Math.min(2 * retryMs, maxRetryMs) : firstRetryMs;
      const pauseMs = typeof outcome === 'number' ? outcome : pausesMs[outcome];
      await sleep(Math.max(0, pauseMs), undefined, { signal }).catch(() => undefined);
    }
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    isRunning = true;
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

async function afterAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  await sleep(endingMs, undefined, { ref: false });
}
