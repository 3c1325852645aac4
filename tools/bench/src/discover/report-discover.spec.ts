import { reportDiscover } from './report-discover.js';
import type { DiscoverResult } from './run-discover.js';

const route = (requestsPerSecond: number, p99: number) => ({
  requestsPerSecond,
  cpuMicroseconds: 1e6 / requestsPerSecond,
  p50: 1,
  p99,
});
const result = (vaults: number, ratio: number, p99 = 3): DiscoverResult => ({
  vaults,
  discover: route(8_000 * ratio, p99),
  bare: route(8_000, 2),
  raw: route(16_000, 2),
  ratios: [ratio - 0.1, ratio, ratio + 0.1],
  rawRatios: [ratio / 2 - 0.1, ratio / 2, ratio / 2 + 0.1],
});
const rows = (...results: DiscoverResult[]) =>
  reportDiscover({ database: 'PostgreSQL', results })
    .split('\n')
    .slice(2, 2 + results.length)
    .map((row) => row.split('|').map((cell) => cell.trim()));

describe('reportDiscover', () => {
  it('default: the ratio to the bare handler beside its goal, where there is one', () => {
    const [few, many] = rows(result(150, 0.7), result(10_000, 0.7));
    expect(few!.slice(1, 8)).toEqual(['150', '5600', '8000', '0.70', '0.60 to 0.80', '-', '-']);
    expect(many!.slice(4, 8)).toEqual(['0.70', '0.60 to 0.80', '>= 0.8', 'MISSED']);
  });

  it('behavior: discover reaches half of raw Fastify', () => {
    const [slow, fast] = rows(result(150, 0.9), result(150, 1));
    expect([slow!.slice(8, 13), fast![12]]).toEqual([
      ['16000', '0.45', '0.35 to 0.55', '>= 0.5', 'MISSED'],
      'met',
    ]);
  });

  it('behavior: the processor time of a request beside that of raw Fastify', () => {
    expect(rows(result(150, 1))[0]!.slice(13, 16)).toEqual(['125', '63', '0.50']);
  });

  it('behavior: p99 is compared with the bare handler', () => {
    const [close, far] = rows(result(150, 1, 5), result(150, 1, 5.01));
    expect([close![19], far![19]]).toEqual(['met', 'MISSED']);
  });
});
