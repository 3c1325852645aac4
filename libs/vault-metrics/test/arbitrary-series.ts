import fc from 'fast-check';
import type { PricePoint } from '../src/series.js';

const start = 1_790_000_000 - (1_790_000_000 % 3_600);
/** Nine days: the window of a week with room before it. */
const hours = 9 * 24;

const anyHour = fc.integer({ min: 0, max: hours });

/** A stretch of hours. */
const stretch = (longest: number) =>
  fc.record({ from: fc.integer({ min: 1, max: hours - 1 }), length: fc.integer({ min: 1, max: longest }) });
const isWithin = (hour: number, { from, length }: { from: number; length: number }) =>
  hour >= from && hour < from + length;

const recipe = fc.record({
  apyPercent: fc.double({ min: -5, max: 30, noNaN: true }),
  noise: fc.constantFrom(0, 1e-6, 1e-4),
  seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  fall: fc.record({ hour: anyHour, factor: fc.double({ min: 0.7, max: 1, noNaN: true }) }),
  rise: fc.record({
    hour: anyHour,
    factor: fc.oneof(
      fc.double({ min: 1, max: 1.02, noNaN: true }),
      fc.double({ min: 1, max: 1.25, noNaN: true }),
    ),
  }),
  gaps: fc.array(stretch(40), { maxLength: 2 }),
  thin: fc.array(stretch(48), { maxLength: 1 }),
});

export type ArbitraryVault = typeof recipe extends fc.Arbitrary<infer T> ? T : never;

/**
 * A vault as the chain shows it: yield, noise, one fall of less than a third, a donation or harvest, hours without
 * samples, hours in which it holds next to nothing, samples some seconds off the hour.
 */
export const arbitraryVault = recipe.filter((vault) => pointsOf(vault).at(-1)!.t > start + 4 * 86_400);

/** Its samples, oldest first. */
export function pointsOf({ apyPercent, noise, seed, fall, rise, gaps, thin }: ArbitraryVault): PricePoint[] {
  let state = seed;
  const random = () => (state = (1_103_515_245 * state + 12_345) % 2 ** 31) / 2 ** 31;
  let sharePrice = 1;
  const points: PricePoint[] = [];
  for (let hour = 0; hour <= hours; hour++) {
    sharePrice *= Math.exp(Math.log1p(apyPercent / 100) / 8_760 + noise * (random() - 0.5));
    if (hour === fall.hour) sharePrice *= fall.factor;
    if (hour === rise.hour) sharePrice *= rise.factor;
    const t = start + hour * 3_600 + Math.floor(random() * 12);
    if (gaps.some((gap) => isWithin(hour, gap))) continue;
    points.push({
      t,
      sharePrice,
      tvlUsd: thin.some((stretch) => isWithin(hour, stretch)) ? 5_000 : 25_000_000,
    });
  }
  return points;
}

/** Change price and holdings of the vault from an index on, for good. */
export const scaleFrom = (points: readonly PricePoint[], index: number, factor: number): PricePoint[] =>
  points.map((point, at) =>
    at < index
      ? point
      : { ...point, sharePrice: point.sharePrice * factor, tvlUsd: (point.tvlUsd ?? NaN) * factor },
  );
