import { expectClose, growth } from '../test/expect-close.js';
import vectors from '../test/vectors/cleaning-vectors.json' with { type: 'json' };
import { apyWindows, measureApy } from './apy.js';
import { cleanSeries } from './clean-series.js';
import { maxDrawdown, type PriceSeries, toSeries } from './series.js';

const { t0 } = vectors.meta;
const isThinHour = (hour: number) => hour >= 640 && hour <= 660;

/** Descriptions of the vectors. */
const generators: Record<string, (hour: number) => number | undefined> = {
  'donation-before-gap': (hour) =>
    hour >= 690 && hour <= 700 ? undefined : growth(hour) * (hour >= 700 ? 1.08 : 1),
  'donation-then-loss': (hour) => growth(hour) * (hour >= 700 && hour <= 702 ? 1.5 : 1),
  'loss-in-thin-hour': (hour) => growth(hour) * (hour >= 650 ? 0.995 : 1),
  'donation-in-thin-hour': (hour) => growth(hour) * (hour >= 650 ? 1.009 : 1),
  'large-donation-in-thin-hour': (hour) => growth(hour) * (hour >= 650 ? 1.05 : 1),
  'donation-behind-a-repaired-spike': (hour) => growth(hour) * (hour >= 603 ? 1.019 : hour >= 600 ? 0.44 : 1),
  'zero-after-donation': (hour) =>
    hour === 655 || hour === 656 ? 0 : growth(hour) * (hour >= 650 ? 1.3 : 1),
  'two-samples': (hour) => (hour === 0 ? 1 : hour === 96 ? 1.03 : undefined),
  volatile: (hour) => {
    let log = 0;
    for (let step = 1; step <= hour; step++)
      log += step === 650 ? 0.015 : step === 700 ? 0.09 : step % 2 === 1 ? 0.002 : -0.002;
    return Math.exp(log);
  },
};

function seriesOf(name: string): PriceSeries {
  const generate = generators[name]!;
  const points = Array.from({ length: 745 }, (_, hour) => {
    const tvlUsd = name.endsWith('-in-thin-hour') && isThinHour(hour) ? 5_000 : 25_000_000;
    return { t: t0 + hour * 3_600, sharePrice: generate(hour), tvlUsd };
  });
  return toSeries(
    points.flatMap(({ sharePrice, ...point }) =>
      sharePrice === undefined ? [] : [{ ...point, sharePrice }],
    ),
  );
}

describe('cleanSeries', () => {
  it.each(vectors.series.map((vector) => [vector.name, vector] as const))('behavior: %s', (name, vector) => {
    const raw = seriesOf(name);
    expect(raw.t).toHaveLength(vector.points);
    expectClose(measureApy(raw, apyWindows.week).value, vector.rawWeek);
    const { series, repaired, jumps, spikesRepaired } = cleanSeries(raw);
    expectClose(measureApy(series, apyWindows.week).value, vector.cleaned.week);
    expectClose(measureApy(series, apyWindows.month).value, vector.cleaned.month);
    expectClose(series.sharePrice.at(-1), vector.cleaned.last);
    expect(spikesRepaired).toBe(vector.spikesRepaired);
    expect(jumps.map(({ t }) => t)).toEqual(vector.jumps.map(({ t }) => t));
    jumps.forEach(({ logReturn }, index) => expectClose(logReturn, vector.jumps[index]!.logReturn));
    expectClose(maxDrawdown(repaired), vector.maxDrawdown);
  });

  it('default: a clean series is returned unchanged', () => {
    const raw = toSeries([0, 1, 2, 3].map((hour) => ({ t: hour * 3_600, sharePrice: growth(hour) })));
    expect(cleanSeries(raw).series).toBe(raw);
  });

  it('behavior: one series says nothing about the next one', () => {
    const noisy = seriesOf('volatile');
    const short = seriesOf('two-samples');
    const before = cleanSeries(short).series.sharePrice;
    cleanSeries(noisy);
    expect(cleanSeries(short).series.sharePrice).toEqual(before);
  });
});

describe('toSeries', () => {
  it.each([
    ['twice', [1, 1]],
    ['out of order', [2, 1]],
    ['not a number', [NaN]],
  ])('error: RangeError for a time that stands %s', (_, times) => {
    expect(() => toSeries(times.map((t) => ({ t, sharePrice: 1 })))).toThrow(RangeError);
  });
});
