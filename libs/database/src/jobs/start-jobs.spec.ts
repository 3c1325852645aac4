import type { Job, JobOutcome } from './job.js';
import { startJobs, type RunningJobs } from './start-jobs.js';

// Jest fakes only the global timers.
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number, _: undefined, { signal }: { readonly signal?: AbortSignal }) =>
    new Promise<void>((resolve) => {
      const end = () => {
        signal?.removeEventListener('abort', end);
        resolve();
      };
      setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
}));

const runs: number[] = [];
const logged: object[] = [];
const counted: string[] = [];
const log = (level: string) => (fields: object) => void logged.push({ level, ...fields });
const logger = { info: log('info'), warn: log('warn'), error: log('error') };
let jobs: RunningJobs | undefined;

/** Start a job that ends in these ways, and then for ever in the last one. */
function start(outcomes: readonly (JobOutcome | Error)[], intervalMs = 10_000, workMs = 0): void {
  const left = [...outcomes];
  const run = async () => {
    runs.push(Date.now());
    if (workMs > 0) await new Promise((resolve) => setTimeout(resolve, workMs));
    const outcome = left.length > 1 ? left.shift()! : left[0]!;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  jobs = startJobs(() => [{ name: 'test', intervalMs, run }], {
    logger,
    onRun: (name, outcome) => counted.push(`${name} ${outcome}`),
  });
}

/** Pauses between the starts of the runs, in milliseconds. */
const pauses = () => runs.slice(1).map((at, index) => at - runs[index]!);

beforeEach(() => {
  jest.useFakeTimers();
  for (const list of [runs, logged, counted]) list.length = 0;
});
afterEach(async () => {
  const stopped = jobs?.stop();
  await jest.runAllTimersAsync();
  await stopped;
  jest.useRealTimers();
});

describe('startJobs', () => {
  it('default: at once, and then at each interval, which includes the time of the work', async () => {
    start(['done'], 10_000, 4_000);
    await jest.advanceTimersByTimeAsync(25_000);
    expect(pauses()).toEqual([10_000, 10_000]);
    expect(new Set(counted)).toEqual(new Set(['test succeeded']));
    expect(jobs!.isLeader()).toBe(true);
  });

  it('behavior: work that outlasts the interval is followed at once, and never overlaps', async () => {
    start(['done'], 1_000, 3_000);
    await jest.advanceTimersByTimeAsync(7_000);
    for (const pause of pauses()) expect(pause).toBeGreaterThanOrEqual(3_000);
    expect(runs).toHaveLength(3);
  });

  it('behavior: at once while there is more to do, or after the pause that the run chose', async () => {
    start(['more', 2_000, 'done']);
    await jest.advanceTimersByTimeAsync(5_000);
    const [atOnce, chosen] = pauses();
    expect(atOnce).toBeLessThan(5);
    expect(chosen).toBe(2_000);
  });

  it('behavior: after failures sooner, then ever later, at most the interval and a minute', async () => {
    start(['failed'], 5_000);
    await jest.advanceTimersByTimeAsync(18_000);
    expect(pauses()).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    await jobs!.stop();
    runs.length = 0;
    start(['failed'], 3_600_000);
    await jest.advanceTimersByTimeAsync(300_000);
    expect(pauses().at(-1)).toBe(60_000);
  });

  it('behavior: a job that failed ten times in a row is parked until it succeeds, with one line for each', async () => {
    const err = new Error('down');
    start([...Array.from({ length: 12 }, () => err), 'done'], 1_000);
    await jest.advanceTimersByTimeAsync(12_000);
    expect(counted).toEqual([
      ...Array.from({ length: 9 }, () => 'test failed'),
      ...Array.from({ length: 3 }, () => 'test parked'),
      'test succeeded',
    ]);
    expect(logged).toEqual([
      { level: 'warn', err, job: 'test' },
      { level: 'error', err, job: 'test' },
      { level: 'info', job: 'test', failures: 12 },
    ]);
  });

  it('behavior: success forgets failures', async () => {
    start(['failed', 'failed', 'more', 'failed', 'done']);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(pauses().filter((pause) => pause > 5)).toEqual([500, 1_000, 500]);
  });

  it('error: a run that throws is logged, counted and repeated', async () => {
    const err = new Error('down');
    start([err, 'done']);
    await jest.advanceTimersByTimeAsync(600);
    expect(logged).toEqual([
      { level: 'warn', err, job: 'test' },
      { level: 'info', job: 'test', failures: 1 },
    ]);
    expect(counted).toEqual(['test failed', 'test succeeded']);
  });

  it('attack: a job that throws at once or hangs stops no other, and this process leads again after a lost session', async () => {
    let lost = new AbortController();
    const openSession = () => {
      lost = new AbortController();
      return Promise.resolve({
        lost: lost.signal,
        query: () => Promise.resolve([{ won: true }]),
        close: () => Promise.resolve(),
      } as never);
    };
    const throwing = () => {
      throw new Error('at once');
    };
    const all: readonly Job[] = [
      { name: 'throws', intervalMs: 1_000, run: throwing },
      { name: 'hangs', intervalMs: 1_000, run: () => new Promise(() => undefined) },
      { name: 'works', intervalMs: 1_000, run: () => Promise.resolve(runs.push(Date.now()) && 'done') },
    ];
    jobs = startJobs(() => all, { leader: { database: { openSession }, name: 'test' } });
    await jest.advanceTimersByTimeAsync(3_500);
    expect(runs).toHaveLength(4);
    lost.abort();
    expect(jobs.isLeader()).toBe(false);
    await jest.advanceTimersByTimeAsync(6_000);
    expect(jobs.isLeader()).toBe(true);
    expect(runs.length).toBeGreaterThan(5);
  });

  it('behavior: stop waits for running work, and ends a pause at once', async () => {
    start(['done'], 3_600_000, 1_000);
    const stopped = jobs!.stop();
    await jest.advanceTimersByTimeAsync(1_000);
    await stopped;
    expect(jobs!.isLeader()).toBe(false);
    start(['done'], 3_600_000);
    await jest.advanceTimersByTimeAsync(1_000);
    await jobs!.stop();
    expect(runs).toHaveLength(2);
  });
});
