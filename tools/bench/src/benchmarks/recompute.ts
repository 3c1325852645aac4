import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createChainIndex, measureVaults } from '@yield-vault/vault-discovery';
import { createSeriesBook } from '@yield-vault/vault-metrics';
import { atMost, benchmark, measure } from '../harness.js';
import { measureOptions, syntheticInputs } from '../synthetic-vaults.js';

const most = { cpuSeconds: 2, rankingMs: 20 };

export const recompute = benchmark({
  description:
    'CPU time of measuring and ranking many vaults again, and the delay of the event loop meanwhile',
  options: { vaults: 10_000, rounds: 5 },
  run: async ({ vaults, rounds }) => {
    let now = Math.floor(Date.now() / 1_000);
    const book = createSeriesBook();
    const inputs = syntheticInputs(vaults, now);
    for (const { vault, series } of inputs) book.load(vault.id, series);
    const delays = monitorEventLoopDelay({ resolution: 1 });
    /** Add an hour to all vaults, measure and rank them. */
    const step = async () => {
      delays.reset();
      delays.enable();
      const before = process.cpuUsage();
      now += 3_600;
      for (const { vault, series } of inputs) {
        const sharePrice = series.sharePrice.at(-1)! * 1.000005;
        book.add(vault.id, { t: now, sharePrice, tvlUsd: series.tvlUsd.at(-1)!, origin: 0 });
      }
      const reports = await measureVaults(
        inputs.map((input) => ({ ...input, series: book.columns(input.vault.id) })),
        { ...measureOptions, now },
      );
      const { user, system } = process.cpuUsage(before);
      delays.disable();
      const start = performance.now();
      if (createChainIndex(reports).all.length !== vaults) throw new Error('A vault was not measured');
      const rankingMs = performance.now() - start;
      return { cpuSeconds: (user + system) / 1e6, delayMs: delays.max / 1e6, rankingMs };
    };
    const { all } = await measure({ all: step }, { rounds });
    return {
      'CPU time (s)': { measured: all.cpuSeconds, ...atMost(most.cpuSeconds, all.cpuSeconds) },
      'longest delay of the event loop (ms)': { measured: all.delayMs },
      'ranking (ms)': { measured: all.rankingMs, ...atMost(most.rankingMs, all.rankingMs) },
    };
  },
});
