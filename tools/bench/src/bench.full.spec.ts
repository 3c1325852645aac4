import { benchmarks } from './benchmarks/index.js';
import { runBenchmark } from './harness.js';

describe('benchmarks', () => {
  it.each([
    ['recompute', { vaults: 40, rounds: 2 }, 3],
    ['sample', { vaults: 100, rounds: 1 }, 6],
    ['status', { ranges: 8, latency: 1 }, 3],
    ['discover', { vaults: 200, rounds: 1, seconds: 1 }, 2],
    ['fleet', { wallets: 20, executesPerSecond: 4, minutes: 0.1, signers: 12, waiting: 10, latency: 1 }, 13],
  ] as const)(
    'behavior: %s runs to its end',
    async (name, options, rows) => {
      expect(Object.keys(await runBenchmark(benchmarks[name], options))).toHaveLength(rows);
    },
    180_000,
  );
});
