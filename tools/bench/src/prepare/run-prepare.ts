import { activeBase } from '@yield-vault/devnet';
import type { PrepareRequest } from '@yield-vault/protocol';
import { startBenchChain, type BenchChain } from '../gas/chain.js';
import { yieldAccount } from '../gas/yield-account.js';
import { startLatencyProxy, type LatencyProxy } from '../start-latency-proxy.js';
import { benchVaults } from './bench-vaults.js';
import { createBenchBuilder } from './create-bench-builder.js';
import { rememberResponses } from './remember-responses.js';
import { sequentialTrips } from './sequential-trips.js';

export interface PrepareOptions {
  /** Delay of every response of node and bundler, in milliseconds. */
  readonly latency: number;
  /** Requests of each kind. */
  readonly requests: number;
}

/** Times of one kind of request. */
export interface PrepareSample {
  readonly name: string;
  readonly ms: readonly number[];
  /** HTTP requests to the node, of each. */
  readonly nodeRequests: readonly number[];
  /** HTTP requests to the bundler, of each. */
  readonly bundlerRequests: readonly number[];
  /** Round trips one after the other, of each. */
  readonly trips: readonly number[];
}

/** Everything that was measured, in one run on one chain. */
export interface PrepareRun {
  readonly latency: number;
  /** The smallest question to the node, in milliseconds. */
  readonly roundTripMs: readonly number[];
  readonly samples: readonly PrepareSample[];
  /** Processor time of a deposit whose questions are answered from memory, in milliseconds. */
  readonly buildMs: readonly number[];
}

type Wallet = PrepareRequest['agentAddress'];

const depositAssets = 100_000_000n;
const warmUps = 10;
// Until the compiler has seen enough.
const buildWarmUps = 300;

/** Measure prepare for a configured wallet whose node and bundler are far away. */
export async function runPrepare({ latency, requests }: PrepareOptions): Promise<PrepareRun> {
  const bench = await startBenchChain();
  try {
    const wallet = await openPosition(bench);
    const node = await startLatencyProxy(bench.rpcUrl, latency);
    const bundler = await startLatencyProxy(bench.chain.bundlerUrl ?? '', latency);
    try {
      return {
        latency,
        ...(await measureTrips(wallet, node, bundler, requests)),
        buildMs: await measureBuild(bench, wallet, requests),
      };
    } finally {
      await Promise.all([node.stop(), bundler.stop()]);
    }
  } finally {
    await bench.stop();
  }
}

/** Make a configured wallet with a position in the first vault. */
async function openPosition(bench: BenchChain): Promise<Wallet> {
  const account = await bench.newWallet();
  const [{ vaultAddress, asset }] = benchVaults();
  await yieldAccount.setUp(bench, account);
  await yieldAccount.deposit(bench, account, { address: vaultAddress, asset: asset.address }, depositAssets);
  return account.address;
}

function requestsOf(agentAddress: Wallet): Readonly<Record<string, PrepareRequest>> {
  const [{ vaultId }] = benchVaults();
  const request = { chain: 'base', agentAddress, vaultId } as const;
  return {
    deposit: { ...request, operation: 'deposit', asset: 'USDC', amount: '25' },
    'redeem 50 %': { ...request, operation: 'redeem', percentage: 50 },
    rebalance: { ...request, operation: 'rebalance' },
  };
}

async function measureTrips(
  wallet: Wallet,
  node: LatencyProxy,
  bundler: LatencyProxy,
  count: number,
): Promise<Pick<PrepareRun, 'roundTripMs' | 'samples'>> {
  const chain = activeBase({ rpcUrl: node.url, bundlerUrl: bundler.url });
  const builder = createBenchBuilder(chain, benchVaults());
  const samples: PrepareSample[] = [];
  for (const [name, request] of Object.entries(requestsOf(wallet))) {
    const prepare = () => builder.prepare(request);
    await timed(warmUps, prepare);
    const sample = {
      name,
      ms: [],
      nodeRequests: [],
      bundlerRequests: [],
      trips: [],
    } as Mutable<PrepareSample>;
    for (let done = 0; done < count; done++) {
      const [asked, estimated] = [node.requests(), bundler.requests()];
      sample.ms.push(...(await timed(1, prepare)));
      const [toNode, toBundler] = [node.trips(asked), bundler.trips(estimated)];
      sample.nodeRequests.push(toNode.length);
      sample.bundlerRequests.push(toBundler.length);
      sample.trips.push(sequentialTrips([...toNode, ...toBundler]));
    }
    samples.push(sample);
  }
  return { samples, roundTripMs: await timed(count, () => chain.rpc.getChainId()) };
}

type Mutable<Sample> = {
  -readonly [Name in keyof Sample]: Sample[Name] extends readonly (infer Item)[] ? Item[] : Sample[Name];
};

/** Measure the own work, without waiting for responses. */
async function measureBuild(
  { chain }: BenchChain,
  wallet: Wallet,
  count: number,
): Promise<readonly number[]> {
  const startedAt = Date.now();
  const builder = createBenchBuilder(rememberResponses(chain), benchVaults(), () => startedAt);
  const prepare = () => builder.prepare(requestsOf(wallet)['deposit']!);
  await timed(buildWarmUps, prepare);
  const ms: number[] = [];
  for (let done = 0; done < count; done++) {
    const start = process.cpuUsage();
    await prepare();
    const { user, system } = process.cpuUsage(start);
    ms.push((user + system) / 1_000);
  }
  return ms;
}

async function timed(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const ms: number[] = [];
  for (let done = 0; done < count; done++) {
    const start = performance.now();
    await work();
    ms.push(performance.now() - start);
  }
  return ms;
}
