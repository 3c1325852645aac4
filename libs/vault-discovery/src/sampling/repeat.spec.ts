import { type Outcome, repeat } from './repeat.js';

/** Run through outcomes of work that takes no time. @returns how long it waited after each; none: not at all */
async function run(outcomes: readonly Outcome[], intervalMs: number): Promise<number[][]> {
  const stopping = new AbortController();
  const waits: number[][] = [];
  const left = [...outcomes];
  await repeat(
    () => {
      waits.push([]);
      const outcome = left.shift();
      if (left.length === 0) stopping.abort();
      return Promise.resolve(outcome ?? 'done');
    },
    intervalMs,
    stopping.signal,
    (ms) => Promise.resolve(void waits.at(-1)!.push(ms)),
  );
  return waits;
}

describe('repeat', () => {
  it('default: once in an interval, which includes the time of the work', async () => {
    const [[first], [second]] = (await run(['done', 'done'], 100_000)) as [[number], [number]];
    for (const waited of [first, second]) {
      expect(waited).toBeLessThan(100_000);
      expect(waited).toBeGreaterThan(90_000);
    }
  });

  it('behavior: work that outlasts the interval is followed at once', async () => {
    expect(await run(['done'], 0)).toEqual([[0]]);
  });

  it('behavior: at once while there is more to do', async () => {
    expect(await run(['more', 'more'], 1_000)).toEqual([[], []]);
  });

  it('behavior: after failures sooner, then ever later, at most the interval and 15 s', async () => {
    expect(
      await run(
        Array.from({ length: 4 }, () => 'failed' as const),
        1_800,
      ),
    ).toEqual([[500], [1_000], [1_800], [1_800]]);
    expect(
      (
        await run(
          Array.from({ length: 8 }, () => 'failed' as const),
          60_000,
        )
      ).at(-1),
    ).toEqual([15_000]);
  });

  it('behavior: success forgets failures', async () => {
    expect(await run(['failed', 'failed', 'more', 'failed'], 10_000)).toEqual([[500], [1_000], [], [500]]);
  });

  it('behavior: the signal ends a wait at once', async () => {
    const stopping = new AbortController();
    const running = repeat(() => Promise.resolve('done'), 3_600_000, stopping.signal);
    setTimeout(() => stopping.abort(), 20);
    await running;
  });
});
