import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vectors from './vectors/metrics-vectors.json' with { type: 'json' };
import { apyWindows, measureApys } from '../src/apy.js';
import { type CompositeInput, compositeScore, strategyWeights } from '../src/composite.js';
import { assessRisk, type RiskFactor, riskWeights } from '../src/risk.js';
import { toSeries } from '../src/series.js';
import { dailyReturns, measureSharpe, sharpeWindows } from '../src/sharpe.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8');

/** Rows of the table whose header begins with these cells, without the header; backquotes are left out. */
function tableOf(...header: readonly string[]): string[][] {
  const lines = page.split('\n').map((line) => line.replaceAll('`', ''));
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const start = lines.findIndex((line) => header.every((cell, index) => cells(line)[index] === cell));
  if (start < 0) throw new Error(`no table begins with ${header.join(', ')}`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  return lines.slice(start + 2, start + length).map(cells);
}
const keyed = (rows: readonly string[][], column: number) =>
  Object.fromEntries(rows.map((row) => [row[0], Number(row[column])]));
const seconds = (text: string) => Number.parseInt(text) * (text.endsWith('d') ? 86_400 : 3_600);

describe('docs/metrics.md', () => {
  it('default: weights of risk factors', () => {
    expect(keyed(tableOf('factor', 'weight'), 1)).toEqual(riskWeights);
  });

  it('default: weights of strategies', () => {
    const features = ['yield', 'safety', 'sharpe', 'tvl', 'stability'];
    const rows = tableOf('strategy', ...features);
    const weights = rows.map(([name, ...cells]) => [
      name,
      Object.fromEntries(cells.map((cell, index) => [features[index], Number(cell)])),
    ]);
    expect(Object.fromEntries(weights)).toEqual(strategyWeights);
  });

  it('default: windows of APYs', () => {
    const windows = tableOf('APY', 'window').map(([name, window, tolerance, minSpan]) => [
      name,
      { window: seconds(window!), tolerance: seconds(tolerance!), minSpan: seconds(minSpan!) },
    ]);
    expect(Object.fromEntries(windows)).toEqual(apyWindows);
  });

  it('default: every floor', () => {
    const grave = {
      ...{ audits: 0, admin: 'eoa', daysSinceIncident: 1, ageDays: 1, tvlUsd: 1, loss30d: 1, depeg: 1 },
      ...{ hasJump7d: true, apyNow: 100, benchmarkApy: 1, exitUsd: 1, exitFraction: 1, exitMethod: 'idle' },
    };
    const serious = {
      ...{ ...grave, daysSinceIncident: 60, ageDays: 20, tvlUsd: 5e5, loss30d: 0.02, depeg: 0.03 },
      ...{ admin: 'multisig', exitUsd: 1e6, exitFraction: 0.001, curator: 'known', strategy: 'lending' },
      ...{ assetClass: 'native', oracle: 'none', top1Share: 0 },
    };
    const thin = { ...grave, exitUsd: 1e6, exitFraction: 0.01 };
    const found = [grave, serious, thin, { ...thin, exitFraction: 1 }, {}].flatMap((input) =>
      assessRisk(input as RiskInput).floors.map(({ reason, min }) => [reason, min] as const),
    );
    const listed = (reasons = '', scores = '') =>
      reasons.split(', ').map((reason, index) => [reason, Number(scores.split(', ')[index])] as const);
    const logged = tableOf('floor').flatMap(([reasons, scores, unknown, least]) =>
      [...listed(reasons, scores), ...listed(unknown, least)].filter(([reason]) => reason !== ''),
    );
    expect(new Map(logged)).toEqual(new Map(found));
  });

  it('behavior: the APYs and the Sharpe ratio of the example', () => {
    const series = toSeries(
      Array.from({ length: 745 }, (_, hour) => ({
        t: hour * 3_600,
        sharePrice: 1.05 ** (hour / 8_760) * (hour > 700 ? 0.98 : 1),
      })),
    );
    const measured = measureApys(series);
    for (const [name, from, to, elapsed, value] of tableOf('what', 'from', 'to')) {
      const measurement = measured[name!.replace('apy.', '') as keyof typeof measured];
      if (measurement.value === null) throw new Error(`${name} is not measured`);
      expect(measurement.value.toFixed(4)).toBe(value!.replace('−', '-'));
      expect(series.sharePrice[measurement.from]!.toFixed(12)).toBe(from);
      expect(series.sharePrice[measurement.to]!.toFixed(12)).toBe(to);
      expect(measurement.elapsed).toBe(Number(elapsed!.replaceAll(',', '')));
    }
    expect(measureSharpe(dailyReturns(series, 7), sharpeWindows.week, 0.04).toFixed(4)).toBe('-7.1547');
    expect(page).toContain('= −7.1547');
  });

  it('behavior: the risk and the score of the example', () => {
    const { input } = vectors.risk.find(({ name }) => name === 'curated-morpho-vault')!;
    const { factors, score, base } = assessRisk(input);
    for (const [factor, , value, contribution] of tableOf('factor', 'input')) {
      const known = factors[factor as RiskFactor]!;
      expect(known).toBeCloseTo(Number(value), 4);
      expect((known * riskWeights[factor as RiskFactor]) / 100).toBeCloseTo(Number(contribution), 4);
    }
    expect(page).toContain(`Sum ${base.toFixed(4)}, no floor: **${score}**`);
    const { risk, ...rest } = vectors.compositeInputs['curated-morpho-vault'];
    const { score: balanced } = compositeScore({ ...rest, riskScore: risk } as CompositeInput, 'balanced');
    expect(page).toContain(`= ${balanced.toFixed(4)}, times 1: **${balanced.toFixed(2)}**`);
  });
});
