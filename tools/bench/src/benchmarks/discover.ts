import autocannon from 'autocannon';
import { benchmark, measure, ratio, type Table } from '../harness.js';
import { barePath, discoverPath, queries } from '../queries.js';
import { startServer } from '../start-server.js';

const connections = 10;
/** Least ratio to raw Fastify, and with many vaults to the bare handler. */
const goals = { raw: 0.5, bare: 0.8 };
const few = 150;

export const discover = benchmark({
  description: 'requests per second of discover beside a bare handler and raw Fastify; api must be built',
  options: { vaults: 10_000, rounds: 8, seconds: 3 },
  run: async ({ vaults: many, rounds, seconds }, defer) => {
    const table: Table = {};
    for (const vaults of [few, many]) {
      const { apiUrl, rawUrl } = await startServer(vaults, {}, defer);
      const { discover, bare, raw } = await measure(
        {
          discover: () => load(apiUrl, () => discoverPath, seconds),
          bare: () => load(apiUrl, barePath, seconds),
          raw: () => load(rawUrl, barePath, seconds),
        },
        { rounds },
      );
      const [toBare, toRaw] = [ratio(discover.rate, bare.rate), ratio(discover.rate, raw.rate)];
      const isMet = toRaw >= goals.raw && (vaults === few || toBare >= goals.bare);
      table[`${vaults} vaults`] = {
        'req/s': discover.rate,
        'bare handler': bare.rate,
        ratio: toBare,
        goal: vaults === few ? '-' : `>= ${goals.bare}`,
        'raw Fastify': raw.rate,
        'raw ratio': toRaw,
        'raw goal': `>= ${goals.raw}`,
        result: isMet ? 'met' : 'MISSED',
      };
    }
    return table;
  },
});

/** Send the queries in turn on each connection, as fast as the server responds. */
async function load(url: string, pathOf: (query: number) => string, seconds: number) {
  const requests = queries.map((query, index) => ({
    method: 'POST' as const,
    path: pathOf(index),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(query),
  }));
  const result = await autocannon({ url, connections, duration: seconds, requests });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${failures} requests to ${url} failed`);
  return { rate: result['2xx'] / result.duration };
}
