import { findGaps } from './measure-series.js';

const hour = 3_600;
const now = 1_795_000_000;
const at = (...hoursAgo: readonly number[]) =>
  Float64Array.from(hoursAgo.map((hours) => now - hours * hour)).sort();

describe('findGaps', () => {
  it('default: more than two hours without a sample, newest first', () => {
    expect(findGaps(at(0, 1, 3, 5.1, 6, 20), now)).toEqual([
      { from: now - 5.1 * hour, until: now - 3 * hour },
      { from: now - 20 * hour, until: now - 6 * hour },
    ]);
  });

  it('behavior: the one that lasts until now', () => {
    expect(findGaps(at(3), now)).toEqual([{ from: now - 3 * hour, until: now }]);
  });

  it('behavior: before the first sample and before the last 31 days there is none', () => {
    expect(findGaps(at(), now)).toEqual([]);
    const everyHour = Array.from({ length: 31 * 24 + 1 }, (_, hours) => hours);
    expect(findGaps(at(...everyHour, 40 * 24, 50 * 24), now)).toEqual([]);
  });

  it('behavior: one that reaches into them, whole', () => {
    expect(
      findGaps(at(0, ...Array.from({ length: 30 * 24 }, (_, hours) => hours + 1), 40 * 24), now),
    ).toEqual([{ from: now - 40 * 24 * hour, until: now - 30 * 24 * hour }]);
  });

  it('behavior: the 20 newest', () => {
    const gaps = findGaps(at(...Array.from({ length: 40 }, (_, index) => index * 3)), now);
    expect(gaps).toHaveLength(20);
    expect(gaps[0]!.until).toBe(now);
  });
});
