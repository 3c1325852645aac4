import type { Strategy } from '@yield-vault/protocol';
import { expectClose, growth } from '../test/expect-close.js';
import vectors from '../test/vectors/metrics-vectors.json' with { type: 'json' };
import { apyWindows, measureApy, measureApys, serveApy } from './apy.js';
import { cleanSeries } from './clean-series.js';
import { type CompositeInput, compositeScore } from './composite.js';
import { assessRisk, type RiskFactor, type RiskInput, riskWeights } from './risk.js';
import { maxDrawdown, type PriceSeries, toSeries } from './series.js';
import { dailyReturns, measureSharpe, measureVolatility, sharpeWindows } from './sharpe.js';
import { sampleDeviation } from './statistics.js';

const { t0 } = vectors.meta;
const lastHour = 744;

/** The generators that the vectors describe in words. */
const generators: Record<string, (hour: number) => number | undefined> = {
  'constant-5pct': growth,
  'daily-harvest-5pct': (hour) => growth(Math.floor(hour / 24) * 24),
  'donation-plus-3pct': (hour) => growth(hour) * (hour > 694 ? 1.03 : 1),
  'loss-minus-2pct': (hour) => growth(hour) * (hour > 700 ? 0.98 : 1),
  'spike-and-revert': (hour) => growth(hour) * (hour >= 600 && hour <= 602 ? 0.44 : 1),
  'gap-at-week-anchor': (hour) => {
    const fromEnd = lastHour - hour;
    return fromEnd < 7 * 24 + 10 && fromEnd >= 7 * 24 - 5 ? undefined : growth(hour);
  },
};

function seriesOf(vector: { name: string; series?: (number | string)[][] | null }): PriceSeries {
  if (vector.series)
    return toSeries(vector.series.map(([t, price]) => ({ t: Number(t), sharePrice: Number(price) })));
  const generate = generators[vector.name];
  if (!generate) throw new Error(`no generator for ${vector.name}`);
  const points = Array.from({ length: lastHour + 1 }, (_, hour) => hour).flatMap((hour) => {
    const sharePrice = generate(hour);
    return sharePrice === undefined ? [] : [{ t: t0 + hour * 3_600, sharePrice }];
  });
  return toSeries(points);
}

describe('vectors of share price series', () => {
  it.each(vectors.apy.map((vector) => [vector.name, vector] as const))('behavior: %s', (_, vector) => {
    const raw = seriesOf(vector);
    expect(raw.t).toHaveLength(vector.points!);
    const cleaned = cleanSeries(raw);
    for (const window of ['now', 'week', 'month'] as const) {
      const expectedRaw = vector.rawApy[window] as {
        value: number | null;
        quality?: string;
        elapsed?: number;
      };
      const measured = measureApy(raw, apyWindows[window]);
      expectClose(measured.value, expectedRaw.value);
      if (measured.value !== null) {
        expect(measured.quality).toBe(expectedRaw.quality);
        expect(measured.elapsed).toBe(expectedRaw.elapsed);
      }
      const expectedCleaned = vector.cleaned!.detail[window] as { value: number | null };
      expectClose(measureApy(cleaned.series, apyWindows[window]).value, expectedCleaned.value);
      expectClose(serveApy(measureApys(cleaned.series)).apy[window], vector.cleaned!.served[window]);
    }
    expect(cleaned.spikesRepaired).toBe(vector.cleaned!.spikesRepaired);
    expect(cleaned.jumps.map(({ t }) => t)).toEqual(vector.cleaned!.jumps.map(({ t }) => t));
    cleaned.jumps.forEach(({ logReturn }, index) =>
      expectClose(logReturn, vector.cleaned!.jumps[index]!.logReturn),
    );
    expectClose(maxDrawdown(cleaned.repaired), vector.maxDrawdown);
    for (const window of ['week', 'month'] as const) {
      const expected: { value: number; obs: number; sigmaAnnual?: number } = vector.sharpe![window];
      const returns = dailyReturns(cleaned.series, sharpeWindows[window].days);
      expectClose(measureSharpe(returns, sharpeWindows[window], vector.rf!), expected.value);
      expect(returns).toHaveLength(expected.obs);
      if (expected.sigmaAnnual !== undefined)
        expectClose(sampleDeviation(returns) * Math.sqrt(365), expected.sigmaAnnual);
    }
    expectClose(measureVolatility(dailyReturns(cleaned.series, 30)), vector.volAnnual);
  });
});

describe('vectors of risk', () => {
  it.each(vectors.risk.map((vector) => [vector.name, vector] as const))('behavior: %s', (_, vector) => {
    const { factors, base, ...assessment } = assessRisk(vector.input as RiskInput);
    const { factors: expectedFactors, base: expectedBase, ...expected } = vector.expected;
    expect(assessment).toEqual(expected);
    expectClose(base, expectedBase);
    for (const name of Object.keys(riskWeights) as RiskFactor[])
      expectClose(factors[name], expectedFactors[name]);
  });
});

describe('vectors of the composite score', () => {
  it.each(vectors.composite.map((vector) => [vector.strategy, vector] as const))(
    'behavior: %s',
    (strategy, vector) => {
      const scores = Object.entries(vectors.compositeInputs).map(([name, { risk, ...input }]) => ({
        name,
        ...compositeScore({ ...input, riskScore: risk } as CompositeInput, strategy as Strategy),
      }));
      for (const { name, score, features, weights, quality } of scores) {
        const row = vector.rows[name as keyof typeof vector.rows];
        expectClose(score, row.score);
        for (const part of ['yield', 'safety', 'sharpe', 'tvl', 'stability'] as const) {
          expectClose(features[part], row.features[part]);
          expectClose(weights[part], row.weights[part]);
        }
        expect(quality).toBe(row.quality);
      }
      const order = [...scores].sort((a, b) => b.score - a.score).map(({ name }) => name);
      expect(order).toEqual(vector.order);
    },
  );
});
