import { findGaps } from './measure-series.js';

const hour = 3_600;
const now = 1_795_000_000;
const at = (...hoursAgo: readonly number[]) =>
  Float64Array.from(hoursAgo.map((hours) => now - hours * hour)).sort();

describe('findGaps', () => {
  const hourly = (days: number) => Array.from({ length: days * 24 + 1 }, (_, hours) => hours);
  const gap = (from: number, until: number) => ({ from: now - from * hour, until: now - until * hour });

  it.each<[string, number[], object[]]>([
    ['more than 2.5 hours, newest first', [0, 1, 3.5, 6.1, 7, 20], [gap(6.1, 3.5), gap(20, 7)]],
    ['one that lasts until now', [3], [gap(3, 0)]],
    ['none before the first sample', [], []],
    ['none before the last 31 days', [...hourly(31), 40 * 24, 50 * 24], []],
    ['one that reaches into them, whole', [...hourly(30), 40 * 24], [gap(40 * 24, 30 * 24)]],
  ])('default: %s', (_, hoursAgo, gaps) => {
    expect(findGaps(at(...hoursAgo), now)).toEqual(gaps);
  });

  it('behavior: the 20 newest', () => {
    const gaps = findGaps(at(...Array.from({ length: 40 }, (_, index) => index * 3)), now);
    expect(gaps).toHaveLength(20);
    expect(gaps[0]!.until).toBe(now);
  });
});
