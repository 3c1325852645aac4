import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createSeriesBook, measureVaults, type MeasureInput } from '@yield-vault/vault-discovery';
import autocannon from 'autocannon';
import { measureInput, syntheticSeries, syntheticVaults } from '../synthetic/synthetic-vaults.js';

const historyHours = 31 * 24;
const vaultsAtOnce = 500;
const hourSeconds = 3_600;
const requestsPerSecond = 200;
const options = { minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 };

/** How a small HTTP server of the same process did meanwhile; milliseconds. */
export interface Responsiveness {
  readonly delayP99: number;
  readonly delayMax: number;
  readonly answerP99: number;
}

export interface RecomputeRun {
  readonly vaults: number;
  /** CPU seconds of each recompute, with nothing else going on; all threads of the process. */
  readonly cpuSeconds: readonly number[];
  /** While one recompute follows the other. */
  readonly during: Responsiveness;
  /** The same without any recompute. */
  readonly without: Responsiveness;
}

/**
 * Measure all vaults anew after a snapshot of each, as the sampler does.
 *
 * @param servingSeconds - how long requests are answered, once with and once without it
 */
export async function runRecompute(
  vaultCount: number,
  rounds: number,
  servingSeconds = 12,
): Promise<RecomputeRun> {
  const recompute = prepareRecompute(vaultCount);
  // The first time is for the compilers.
  await recompute();
  const cpuSeconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    await recompute();
    const { user, system } = process.cpuUsage(before);
    cpuSeconds.push((user + system) / 1e6);
  }
  const during = await whileServing(recompute, servingSeconds);
  const without = await whileServing(() => sleep(100), servingSeconds);
  return { vaults: vaultCount, cpuSeconds, during, without };
}

/** Fill a book with the past of vaults; each call then adds an hour to all of them and measures them. */
function prepareRecompute(vaultCount: number): () => Promise<void> {
  const book = createSeriesBook();
  let now = Math.floor(Date.now() / 1_000);
  const inputs = syntheticVaults(0, vaultCount).map((vault): MeasureInput => {
    const series = syntheticSeries(vault, historyHours, now);
    book.load(vault.id, series);
    return measureInput(vault, series, now);
  });
  return async () => {
    now += hourSeconds;
    const measured: MeasureInput[] = [];
    // In parts, as the sampler takes snapshots over.
    for (let start = 0; start < inputs.length; start += vaultsAtOnce) {
      const part = inputs.slice(start, start + vaultsAtOnce);
      for (const { vault, last } of part) {
        const { sharePrice } = last!;
        book.add(vault, { ...last!, t: now, sharePrice: sharePrice + sharePrice / 200_000n });
      }
      measured.push(...part.map((input) => ({ ...input, series: book.columns(input.vault.id) })));
      await nextTurn();
    }
    const reports = await measureVaults(measured, { ...options, now });
    if (reports.length !== vaultCount) throw new Error('A vault was not measured');
  };
}

/** Serve requests at a steady rate from another thread, and watch the event loop while work is done over and over. */
async function whileServing(work: () => Promise<unknown>, seconds: number): Promise<Responsiveness> {
  const server = createServer((_request, response) => response.end('{"status":"ok"}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let isOver = false;
  const load = autocannon({
    url: `http://127.0.0.1:${String(port)}`,
    ...{ connections: 4, overallRate: requestsPerSecond, duration: seconds, workers: 1 },
  }).then((result) => {
    isOver = true;
    return result;
  });
  await once(server, 'request');
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  while (!isOver) await work();
  delays.disable();
  const { latency, errors, timeouts } = await load;
  server.close();
  if (errors + timeouts > 0) throw new Error('Requests were not answered');
  const [delayP99, delayMax] = [delays.percentile(99), delays.max].map((nanoseconds) => nanoseconds / 1e6);
  return { delayP99: delayP99!, delayMax: delayMax!, answerP99: latency.p99 };
}
