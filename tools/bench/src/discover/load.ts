import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { queries } from './queries.js';
import type { Servers } from './start-servers.js';

const connections = 10;

/** How a route did under load. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly cpuMicroseconds: number;
  /** Microseconds. */
  readonly latencies: RecordableHistogram;
}

/**
 * Send the queries in turn on each of ten connections, as fast as the server responds.
 *
 * @param pathOf - of the query with this number
 * @throws when a response is not 200
 */
export async function load(
  { readCpu }: Pick<Servers, 'readCpu'>,
  url: string,
  pathOf: (query: number) => string,
  seconds: number,
): Promise<LoadResult> {
  const latencies = createHistogram();
  const requests = queries.map((query, index) => ({
    method: 'POST' as const,
    path: pathOf(index),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(query),
  }));
  const cpuBefore = await readCpu();
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { url, connections, duration: seconds, requests };
    autocannon(options, (error: Error | null, done) => (error ? reject(error) : resolve(done)))
      // Its own histogram knows whole milliseconds only.
      .on('response', (_client, _status, _bytes, ms) =>
        latencies.record(Math.max(1, Math.round(ms * 1_000))),
      );
  });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${String(failures)} requests to ${url} failed`);
  const cpuMicroseconds = (((await readCpu()) - cpuBefore) * 1_000) / result['2xx'];
  return { requestsPerSecond: result['2xx'] / result.duration, cpuMicroseconds, latencies };
}
