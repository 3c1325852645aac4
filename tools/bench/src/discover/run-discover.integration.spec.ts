import { runDiscover } from './run-discover.js';

describe('runDiscover', () => {
  it('default: every route answers, with ever more vaults', async () => {
    const { results } = await runDiscover({ sizes: [20, 40], rounds: 1, seconds: 1 });
    expect(results.map(({ vaults }) => vaults)).toEqual([20, 40]);
    for (const { discover, bare, raw, ratios } of results) {
      for (const { requestsPerSecond, p50, p99 } of [discover, bare, raw]) {
        expect(requestsPerSecond).toBeGreaterThan(0);
        expect(p99).toBeGreaterThanOrEqual(p50);
      }
      expect(ratios).toHaveLength(1);
    }
  }, 120_000);
});
