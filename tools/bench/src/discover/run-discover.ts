import { createHistogram } from 'node:perf_hooks';
import { median } from '../report.js';
import { createBenchDatabase, type BenchDatabase } from './bench-database.js';
import { load, type LoadResult } from './load.js';
import { barePath, discoverPath } from './queries.js';
import { startServers, type Servers } from './start-servers.js';

/** Results of one route over all rounds. */
export interface RouteResult {
  /** Median of the rounds. */
  readonly requestsPerSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly cpuMicroseconds: number;
  /** Milliseconds, of all requests of all rounds. */
  readonly p50: number;
  readonly p99: number;
}

export interface DiscoverResult {
  readonly vaults: number;
  readonly discover: RouteResult;
  readonly bare: RouteResult;
  readonly raw: RouteResult;
  /** Discover by bare handler, round by round, least first. */
  readonly ratios: readonly number[];
  /** Discover by raw Fastify, likewise. */
  readonly rawRatios: readonly number[];
}

export interface DiscoverRun {
  readonly database: string;
  readonly results: readonly DiscoverResult[];
}

export interface DiscoverSettings {
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Of each route in each round. */
  readonly seconds: number;
  /** Called with the step that starts. */
  readonly onProgress?: (message: string) => void;
}

/** Measure discover beside a bare handler of the same server and beside raw Fastify, with growing numbers of vaults. */
export async function runDiscover({ sizes, ...settings }: DiscoverSettings): Promise<DiscoverRun> {
  const database = await createBenchDatabase();
  try {
    const results: DiscoverResult[] = [];
    for (const vaults of sizes) results.push(await measureSize(database, vaults, settings));
    return { database: database.name, results };
  } finally {
    await database.drop();
  }
}

async function measureSize(
  database: BenchDatabase,
  vaults: number,
  settings: Omit<DiscoverSettings, 'sizes'>,
): Promise<DiscoverResult> {
  settings.onProgress?.(`${String(vaults)} vaults: filling ${database.name}`);
  await database.fill(vaults);
  const servers = await startServers(database.where);
  try {
    settings.onProgress?.(`${String(vaults)} vaults: measuring`);
    return { vaults, ...(await measureRoutes(servers, settings)) };
  } finally {
    await servers.stop();
  }
}

async function measureRoutes(
  servers: Servers,
  { rounds, seconds }: Omit<DiscoverSettings, 'sizes'>,
): Promise<Omit<DiscoverResult, 'vaults'>> {
  const { apiUrl, rawUrl } = servers;
  const routes = {
    discover: () => load(servers, apiUrl, () => discoverPath, seconds),
    bare: () => load(servers, apiUrl, barePath, seconds),
    raw: () => load(servers, rawUrl, barePath, seconds),
  };
  // The first round is for the compilers. Routes take turns, so that noise of the machine meets both.
  const measured: Record<keyof typeof routes, LoadResult[]> = { discover: [], bare: [], raw: [] };
  const names = ['discover', 'bare', 'raw'] as const;
  for (let round = 0; round <= rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await routes[name]();
      if (round > 0) measured[name].push(result);
    }
  const ratiosTo = (ceiling: readonly LoadResult[]) =>
    measured.discover
      .map(({ requestsPerSecond }, round) => requestsPerSecond / ceiling[round]!.requestsPerSecond)
      .sort((a, b) => a - b);
  return {
    discover: summarise(measured.discover),
    bare: summarise(measured.bare),
    raw: summarise(measured.raw),
    ratios: ratiosTo(measured.bare),
    rawRatios: ratiosTo(measured.raw),
  };
}

function summarise(results: readonly LoadResult[]): RouteResult {
  const all = createHistogram();
  for (const { latencies } of results) all.add(latencies);
  return {
    requestsPerSecond: median(results.map(({ requestsPerSecond }) => requestsPerSecond)),
    cpuMicroseconds: median(results.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    p50: all.percentile(50) / 1_000,
    p99: all.percentile(99) / 1_000,
  };
}
