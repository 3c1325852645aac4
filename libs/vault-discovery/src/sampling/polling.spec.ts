import { dueHours, isDue, knownTvl, pollingHours } from './polling.js';

const hour = 3_600;

describe('pollingHours', () => {
  it.each([
    [undefined, undefined, 1],
    [10_000, 10_000, 1],
    [10_000, 5_000_000, 1],
    [9_999.99, 20_000, 24],
    [1_000, 9_000, 24],
    [999.99, 999.99, 168],
    [0, 0, 168],
    [5_000, 50_000, 168],
    [5_001, 50_000, 24],
  ] as const)('default: last %s USD, at most %s USD, is every %s hours', (last, peak, hours) => {
    expect(pollingHours({ last, peak })).toBe(hours);
  });
});

describe('knownTvl', () => {
  it('default: the newest and the largest', () => {
    expect(knownTvl({ tvlUsd: Float64Array.of(1, 9, 3) })).toEqual({ last: 3, peak: 9 });
  });

  it('behavior: samples without a price do not count', () => {
    expect(knownTvl({ tvlUsd: Float64Array.of(5, NaN) })).toEqual({ last: 5, peak: 5 });
    expect(knownTvl({ tvlUsd: Float64Array.of(NaN) })).toEqual({ last: undefined, peak: undefined });
    expect(knownTvl({ tvlUsd: new Float64Array() })).toEqual({ last: undefined, peak: undefined });
  });
});

describe('isDue', () => {
  it('default: every hour, the last of a UTC day, the last of a week', () => {
    const day = Date.parse('2026-11-20T00:00:00Z') / 1_000;
    const hours = Array.from({ length: 168 }, (_, index) => day + index * hour);
    expect(hours.filter((each) => isDue(each, 1))).toHaveLength(168);
    const daily = hours.filter((each) => isDue(each, 24));
    expect(daily).toHaveLength(7);
    expect(daily.every((each) => new Date(each * 1_000).getUTCHours() === 23)).toBe(true);
    expect(hours.filter((each) => isDue(each, 168))).toHaveLength(1);
  });
});

describe('dueHours', () => {
  it.each([1, 24, 168] as const)('default: counts what isDue says, every %s hours', (polling) => {
    for (const [from, until] of [
      [0, 500],
      [23, 24],
      [24, 25],
      [100, 400],
      [7, 7],
    ] as const) {
      const hours = Array.from({ length: until - from }, (_, index) => (from + index) * hour);
      expect(dueHours(from * hour, until * hour, polling)).toBe(
        hours.filter((each) => isDue(each, polling)).length,
      );
    }
  });
});
