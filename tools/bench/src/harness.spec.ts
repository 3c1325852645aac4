import { atMost, measure, quantile, ratio, runBenchmark, type Benchmark } from './harness.js';
import { sequentialTrips } from './latency-proxy.js';

describe('statistics', () => {
  it.each([
    [[3, 1, 2], 0.5, 2],
    [[4, 1], 0.5, 2.5],
    [[0, 10, 20, 30], 0.95, 28.5],
    [[7], 0.95, 7],
  ])('quantile: of %p at %d', (values, share, expected) =>
    expect(quantile(values, share)).toBeCloseTo(expected),
  );

  it('ratio: round by round, then the median', () => {
    expect(ratio([1, 10, 3], [2, 10, 4])).toBe(0.75);
  });

  it.each([
    ['none', [], 0],
    [
      'at once',
      [
        [0, 50],
        [1, 60],
        [2, 40],
      ],
      1,
    ],
    [
      'one after the other',
      [
        [60, 110],
        [0, 50],
      ],
      2,
    ],
    [
      'two at once, then one',
      [
        [0, 50],
        [1, 55],
        [56, 110],
      ],
      2,
    ],
    [
      'one that waits only for the quicker one',
      [
        [0, 50],
        [0, 90],
        [51, 100],
        [101, 150],
      ],
      3,
    ],
  ])('sequentialTrips: %s', (_, trips, count) =>
    expect(sequentialTrips(trips.map(([start, end]) => ({ start: start!, end: end! })))).toBe(count),
  );
});

describe('measure', () => {
  it('default: variants take turns, without the rounds that warm up', async () => {
    const order: string[] = [];
    const variant = (name: string) => () => Promise.resolve({ calls: order.push(name) });
    const { a, b } = await measure({ a: variant('a'), b: variant('b') }, { rounds: 2 });
    expect(order.join('')).toBe('baabba');
    expect([a.calls, b.calls]).toEqual([
      [3, 6],
      [4, 5],
    ]);
  });
});

describe('runBenchmark', () => {
  it('default: the median of several numbers, and all stops, the last one first', async () => {
    const stopped: string[] = [];
    const run: Benchmark['run'] = (_, defer) => {
      for (const name of ['a', 'b']) defer(() => Promise.resolve(stopped.push(name)));
      return Promise.resolve({ ours: { ms: [1, 3.456, 9], ...atMost(3, [1, 3.5, 9]) } });
    };
    expect(await runBenchmark({ description: '', options: {}, run }, {})).toEqual({
      ours: { ms: 3.46, goal: '<= 3.0', result: 'MISSED' },
    });
    expect(stopped).toEqual(['b', 'a']);
  });
});
