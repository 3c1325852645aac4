import { canonical, localContracts } from '@yield-vault/contracts';
import { createSimulator, type NewestBlock } from '@yield-vault/forks';
import { startLatencyProxy } from '../start-latency-proxy.js';
import { simulateNaively } from './simulate-naively.js';
import { startUpstream, type Upstream } from './start-upstream.js';

export interface PreflightOptions {
  /** Delay of every response of the node, in milliseconds. */
  readonly latency: number;
  /** Simulations of ours for each row. */
  readonly simulations: number;
  /** Naive simulations; each takes seconds. */
  readonly naive: number;
}

/** Some simulations, one after the other. */
export interface Sample {
  readonly ms: readonly number[];
  /** HTTP requests to the node during each. */
  readonly requests: readonly number[];
}

/** Everything that was measured, in one run on one chain. */
export interface PreflightRun {
  readonly latency: number;
  readonly delayed: {
    readonly roundTrip: Sample;
    readonly naive: Sample;
    readonly sameBlock: Sample;
    readonly newBlock: Sample;
  };
  /** Without delay. Ours begin with the second simulation. */
  readonly local: { readonly naive: Sample; readonly ours: Sample };
  /** Simulations per second, each at the concurrency that suits it best. */
  readonly perSecond: { readonly naive: number; readonly ours: number };
}

const secondsPerConcurrency = 3;
const mostAtOnce = 64;
const silent = { info() {}, warn() {}, error() {} };

/** Measure the simulation of a user operation, beside a fork for each simulation. */
export async function runPreflight(options: PreflightOptions): Promise<PreflightRun> {
  const upstream = await startUpstream();
  try {
    return {
      latency: options.latency,
      delayed: await measureDelayed(upstream, options),
      local: await measureLocal(upstream, options),
      perSecond: await measureRates(upstream),
    };
  } finally {
    await upstream.stop();
  }
}

async function measureDelayed(
  upstream: Upstream,
  { latency, simulations, naive }: PreflightOptions,
): Promise<PreflightRun['delayed']> {
  const proxy = await startLatencyProxy(upstream.rpcUrl, latency);
  const requests = () => proxy.requests();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  try {
    const roundTrip = { ms: [] as number[], requests: [] as number[] };
    const trip = async () => {
      const { ms, requests: counts } = await sample(1, requests, async () => {
        await (await fetch(proxy.url, { method: 'POST', headers, body })).json();
      });
      roundTrip.ms.push(...ms);
      roundTrip.requests.push(...counts);
    };
    const tripOnNewBlock = async () => {
      await upstream.mine();
      await trip();
    };
    // A round trip before each simulation: both meet the same load of the machine.
    return await withPreflight(upstream, proxy.url, async (simulate) => ({
      roundTrip,
      sameBlock: await sample(simulations, requests, simulate, trip),
      newBlock: await sample(simulations, requests, simulate, tripOnNewBlock),
      naive: await sample(naive, requests, () => simulateNaively(proxy.url, upstream.operation)),
    }));
  } finally {
    await proxy.stop();
  }
}

async function measureLocal(
  upstream: Upstream,
  { simulations, naive }: PreflightOptions,
): Promise<PreflightRun['local']> {
  const ours = await withPreflight(upstream, upstream.rpcUrl, async (simulate) => {
    await simulate();
    return sample(
      simulations,
      () => 0,
      simulate,
      () => upstream.mine(),
    );
  });
  const run = () => simulateNaively(upstream.rpcUrl, upstream.operation);
  return { ours, naive: await sample(naive, () => 0, run) };
}

async function measureRates(upstream: Upstream): Promise<PreflightRun['perSecond']> {
  const naive = await fastest([1, 2, 4], () => simulateNaively(upstream.rpcUrl, upstream.operation));
  const ours = await withPreflight(upstream, upstream.rpcUrl, (simulate) =>
    fastest([4, 16, mostAtOnce], simulate),
  );
  return { naive, ours };
}

/** Use the simulator of the library as the server does. Anything but the success of the deposit is an error. */
async function withPreflight<T>(
  upstream: Upstream,
  url: string,
  use: (simulate: () => Promise<void>) => Promise<T>,
): Promise<T> {
  // The server's health probe polls it.
  const newest: NewestBlock = await upstream.newestBlock();
  const simulator = createSimulator({
    chains: [
      {
        ...{ key: 'base', chainId: 8453, upstreamUrls: [url], opStack: true, bundlerAccounts: [] },
        ...{ entryPoint: canonical.entryPointV08, contracts: localContracts, paymaster: 'own' },
        usdc: { address: canonical.usdc[8453] },
      },
    ],
    limits: { concurrency: mostAtOnce, queueLimit: 1_000, deadlineMs: 30_000 },
    newestBlock: () => newest,
    logger: silent,
  });
  try {
    await simulator.probe();
    return await use(async () => {
      const { operation, userOpHash } = upstream.operation;
      const request = { chain: 'base', operation, userOpHash };
      const simulated = await simulator.simulate(request);
      if (!simulated.success) throw new Error(`The simulation failed: ${simulated.revertReason}`);
    });
  } finally {
    await simulator.close();
  }
}

async function sample(
  count: number,
  requests: () => number,
  work: () => Promise<void>,
  before: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Sample> {
  const result = { ms: [] as number[], requests: [] as number[] };
  for (let done = 0; done < count; done++) {
    await before();
    const [start, requestsBefore] = [performance.now(), requests()];
    await work();
    result.ms.push(performance.now() - start);
    result.requests.push(requests() - requestsBefore);
  }
  return result;
}

async function fastest(concurrencies: readonly number[], work: () => Promise<void>): Promise<number> {
  const rates: number[] = [];
  for (const concurrency of concurrencies) {
    const start = performance.now();
    let done = 0;
    const worker = async () => {
      while (performance.now() - start < secondsPerConcurrency * 1_000) {
        await work();
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    rates.push((done * 1_000) / (performance.now() - start));
  }
  return Math.max(...rates);
}
