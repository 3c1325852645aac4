import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { SignedOperation } from '../sign-operation.js';
import { openPreflight, type Preflight } from './open-preflight.js';
import { simulateNaively } from './simulate-naively.js';
import { startLatencyProxy } from '../start-latency-proxy.js';
import type { Upstream } from './start-upstream.js';

const warmUp = 6;
const forever = 3_600_000;
const blockSeconds = 1;
// Somewhere between two blocks, as requests come.
const afterBlockMs = 300;
const pollMs = 20;

/** What was seen of some simulations, one after the other. */
export interface Sample {
  /** Of each simulation. */
  readonly ms: readonly number[];
  /** HTTP requests to the upstream during each. */
  readonly requests: readonly number[];
}

/** Time of a simulation, by what is known when it begins. */
export interface Latencies {
  readonly naive: Sample;
  readonly sameBlock: Sample;
  readonly newBlock: Sample;
  readonly firstSeen: Sample;
  /** A process of its own for each simulation, on a new block. */
  readonly process: Sample;
}

/** Measure simulations one after the other, behind an RPC that answers after `delayMs`. */
export async function measureLatencies(
  upstream: Upstream,
  delayMs: number,
  counts: { readonly naive: number; readonly ours: number },
): Promise<Latencies> {
  const proxy = await startLatencyProxy(upstream.rpcUrl, delayMs);
  const requests = () => proxy.requests();
  const [known, ...unseen] = upstream.operations as [SignedOperation, ...SignedOperation[]];
  try {
    const naive = await sample(counts.naive, requests, () => simulateNaively(proxy.url, known));
    const sameBlock = await withPreflight(openPreflight(proxy.url, forever), async (preflight) => {
      await preflight.simulate(known);
      return sample(counts.ours, requests, () => preflight.simulate(known));
    });

    await upstream.mineEvery(blockSeconds);
    const onNewBlocks = (
      preflight: Preflight,
      count: number,
      operation: (index: number) => SignedOperation,
    ) =>
      sample(
        count,
        requests,
        (index) => preflight.simulate(operation(index)),
        () => nextBlock(upstream),
      );
    const newBlock = await withPreflight(openPreflight(proxy.url, 0), async (preflight) => {
      await onNewBlocks(preflight, warmUp, () => known);
      return onNewBlocks(preflight, counts.ours, () => known);
    });
    const process = await withPreflight(openPreflight(proxy.url, 0, 'process'), async (preflight) => {
      await onNewBlocks(preflight, warmUp, () => known);
      return onNewBlocks(preflight, counts.naive, () => known);
    });
    await upstream.mineEvery(0);

    const firstSeen = await withPreflight(openPreflight(proxy.url, 0), async (preflight) => {
      await preflight.simulate(known);
      return sample(
        unseen.length,
        requests,
        (index) => preflight.simulate(unseen[index]!),
        () => upstream.mine(),
      );
    });
    return { naive, sameBlock, newBlock, firstSeen, process };
  } finally {
    await proxy.stop();
  }
}

/** Simulations per second of both ways, each at the concurrency that suits it best. */
export interface Throughput {
  readonly naive: number;
  readonly ours: number;
}

/** Measure simulations at the same time, on the RPC itself. */
export async function measureThroughput(upstream: Upstream, secondsEach: number): Promise<Throughput> {
  const [known] = upstream.operations as [SignedOperation];
  const naive = await best([1, 2, 4], secondsEach, () => simulateNaively(upstream.rpcUrl, known));
  const ours = await withPreflight(openPreflight(upstream.rpcUrl, forever), async (preflight) => {
    await preflight.simulate(known);
    return best([4, 16, 64], secondsEach, () => preflight.simulate(known));
  });
  return { naive, ours };
}

/** Resident memory of a host in MB. */
export interface HostMemory {
  readonly first: number;
  readonly last: number;
  readonly highest: number;
  readonly simulations: number;
}

/** Measure the memory of one host under many simulations, 64 at a time. */
export async function measureMemory(upstream: Upstream, simulations: number): Promise<HostMemory> {
  const [known] = upstream.operations as [SignedOperation];
  return withPreflight(openPreflight(upstream.rpcUrl, forever), async (preflight) => {
    await preflight.simulate(known);
    const pid = hostPid(upstream);
    const sizes: number[] = [];
    const steps = 10;
    // The first tenth fills what is kept.
    for (let step = 0; step <= steps; step++) {
      await together(64, Math.ceil(simulations / steps), () => preflight.simulate(known));
      sizes.push(residentMegabytes(pid));
    }
    return { first: sizes[0]!, last: sizes.at(-1)!, highest: Math.max(...sizes), simulations };
  });
}

/** Measure the time from the sudden death of a host to the end of the next good simulation, in milliseconds. */
export async function measureRecovery(upstream: Upstream, kills: number): Promise<readonly number[]> {
  const [known] = upstream.operations as [SignedOperation];
  return withPreflight(openPreflight(upstream.rpcUrl, forever), async (preflight) => {
    const times: number[] = [];
    for (let count = 0; count < kills; count++) {
      await preflight.simulate(known);
      const pid = hostPid(upstream);
      const start = performance.now();
      process.kill(pid, 'SIGKILL');
      await preflight.simulate(known);
      times.push(performance.now() - start);
    }
    return times;
  });
}

async function withPreflight<T>(preflight: Preflight, use: (preflight: Preflight) => Promise<T>): Promise<T> {
  try {
    return await use(preflight);
  } finally {
    await preflight.close();
  }
}

async function sample(
  count: number,
  requests: () => number,
  simulate: (index: number) => Promise<void>,
  before: (index: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<Sample> {
  const result = { ms: [] as number[], requests: [] as number[] };
  for (let index = 0; index < count; index++) {
    await before(index);
    const [start, requestsBefore] = [performance.now(), requests()];
    await simulate(index);
    result.ms.push(performance.now() - start);
    result.requests.push(requests() - requestsBefore);
  }
  return result;
}

async function nextBlock(upstream: Upstream): Promise<void> {
  const known = await upstream.newest();
  while ((await upstream.newest()) === known) await pause(pollMs);
  await pause(afterBlockMs);
}

async function best(
  concurrencies: readonly number[],
  seconds: number,
  work: () => Promise<void>,
): Promise<number> {
  const rates: number[] = [];
  for (const concurrency of concurrencies) {
    const start = performance.now();
    let done = 0;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (performance.now() - start < seconds * 1_000) {
          await work();
          done += 1;
        }
      }),
    );
    rates.push((done * 1_000) / (performance.now() - start));
  }
  return Math.max(...rates);
}

async function together(concurrency: number, count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** The oldest other Anvil of this process; a younger one is a spare that waits for its block. */
function hostPid(upstream: Upstream): number {
  const lines = execFileSync(
    'ps',
    ['--sort=start_time,pid', '-o', 'pid=,comm=', '--ppid', String(process.pid)],
    {
      encoding: 'utf8',
    },
  );
  const anvils = lines
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, name]) => name === 'anvil' && Number(pid) !== upstream.pid);
  if (!anvils[0]) throw new Error('No host runs where one should');
  return Number(anvils[0][0]);
}

function residentMegabytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;
}
