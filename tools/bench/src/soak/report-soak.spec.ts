import { isFlat, reportSoak } from './report-soak.js';
import type { MemorySample } from './run-soak.js';

const megabyte = 2 ** 20;
const sample = (processMegabytes: number, anvilMegabytes: number): MemorySample => ({
  simulations: 0,
  processRssBytes: processMegabytes * megabyte,
  anvils: 1,
  anvilRssBytes: anvilMegabytes * megabyte,
});

describe('reportSoak', () => {
  it('default: the first and the last sample', () => {
    const report = reportSoak([sample(100, 30), sample(400, 30), sample(101.5, 31)]);
    expect(report).toContain('Process RSS: first 100.0 MB, last 101.5 MB.');
    expect(report).toContain('Anvil RSS: first 30.0 MB, last 31.0 MB.');
    expect(report).toContain('met');
  });

  it('behavior: growth of either is no flat memory', () => {
    expect(isFlat([sample(100, 30), sample(148, 30)])).toBe(true);
    expect(isFlat([sample(100, 30), sample(149, 30)])).toBe(false);
    expect(isFlat([sample(100, 30), sample(100, 79)])).toBe(false);
  });
});
