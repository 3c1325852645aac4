import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  createChainIndex,
  createSeriesBook,
  measureVaults,
  type MeasureInput,
  type StoredReport,
} from '@yield-vault/vault-discovery';
import { measureInput, syntheticSeries, syntheticVaults } from '../synthetic/synthetic-vaults.js';

const historyHours = 31 * 24;
const hourSeconds = 3_600;
const options = { minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 };

/** One number for each round. */
export interface RecomputeRun {
  readonly vaults: number;
  /** CPU seconds of measuring all vaults; all threads of the process. */
  readonly cpuSeconds: readonly number[];
  /** Longest delay of the event loop meanwhile, in milliseconds. */
  readonly delayMs: readonly number[];
  /** Milliseconds of ranking all vaults. */
  readonly indexMs: readonly number[];
}

/** Measure and rank all vaults again after a snapshot of each. */
export async function runRecompute(vaultCount: number, rounds: number): Promise<RecomputeRun> {
  const recompute = prepareRecompute(vaultCount);
  const run = { cpuSeconds: [] as number[], delayMs: [] as number[], indexMs: [] as number[] };
  const delays = monitorEventLoopDelay({ resolution: 1 });
  // The first round is for the compilers.
  for (let round = 0; round <= rounds; round++) {
    delays.reset();
    delays.enable();
    const before = process.cpuUsage();
    const reports = await recompute();
    const { user, system } = process.cpuUsage(before);
    delays.disable();
    const begun = performance.now();
    if (createChainIndex(reports).all.length !== vaultCount) throw new Error('A vault was not measured');
    const indexMs = performance.now() - begun;
    if (round === 0) continue;
    run.cpuSeconds.push((user + system) / 1e6);
    run.delayMs.push(delays.max / 1e6);
    run.indexMs.push(indexMs);
  }
  return { vaults: vaultCount, ...run };
}

/** Fill a book with the past of vaults; each call then adds an hour to all of them and measures them. */
function prepareRecompute(vaultCount: number): () => Promise<StoredReport[]> {
  const book = createSeriesBook();
  let now = Math.floor(Date.now() / 1_000);
  const inputs = syntheticVaults(0, vaultCount).map((vault): MeasureInput => {
    const series = syntheticSeries(vault, historyHours, now);
    book.load(vault.id, series);
    return measureInput(vault, series, now);
  });
  return () => {
    now += hourSeconds;
    for (const { vault, last } of inputs) {
      const { sharePrice } = last!;
      book.add(vault, { ...last!, t: now, sharePrice: sharePrice + sharePrice / 200_000n });
    }
    const measured = inputs.map((input) => ({ ...input, series: book.columns(input.vault.id) }));
    return measureVaults(measured, { ...options, now });
  };
}
