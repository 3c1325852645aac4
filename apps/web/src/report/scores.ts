import type { Strategy, VaultReport } from '@yield-vault/protocol';
import { dataTable, element } from '../dom.js';
import { known, oneDigit, percent, twoDigits, usd, words } from '../format.js';

/** The key figures of a vault. */
export function keyFigures(report: VaultReport): readonly Node[] {
  const { apy, risk, sharpe, tvlUsd, tier, protocol, asset, chain, vaultAddress, data } = report;
  const place = `${protocol} · ${asset.symbol} · ${chain} · ${tier}`;
  const age =
    data.ageSeconds === null ? 'No sample yet' : `${data.snapshots} samples, newest ${data.ageSeconds} s old`;
  const figures = [
    ['APY, 1 day', percent(apy.now)],
    ['APY, 7 days', percent(apy.week)],
    ['APY, 30 days', percent(apy.month)],
    ['Risk', `${oneDigit(risk.score)} · ${risk.level} · ${risk.rating}`],
    ['Known risk inputs', `${Math.round(report.coverage)} %`],
    ['Sharpe, 30 days', twoDigits(sharpe.month)],
    ['TVL', usd(tvlUsd)],
    ['Exit now', known(report.exit.instantUsd, usd)],
  ] as const;
  return [
    element('p', { class: 'lead' }, place, element('br'), element('code', {}, vaultAddress)),
    ...notice('Not offered for deposits', report.exclusions),
    ...notice('Warnings', report.flags),
    element(
      'dl',
      { class: 'figures' },
      ...figures.map(([name, value]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, value)),
      ),
    ),
    element('p', { class: 'quiet' }, age),
  ];
}

const notice = (title: string, reasons: readonly string[]) =>
  reasons.length > 0 ? [element('p', { class: 'notice' }, `${title}: ${reasons.join(', ')}`)] : [];

/** The parts of the risk score and of the composite score of a strategy, as bars. */
export function scoreParts(
  { explanation, risk, compositeScores }: VaultReport,
  strategy: Strategy,
): readonly Node[] {
  const { factors, floors, coverage } = explanation.risk;
  const { features, weights, quality } = explanation.composite[strategy];
  const riskParts = [...factors]
    .sort((a, b) => b.weight - a.weight)
    .map(({ factor, weight, value, isKnown, contribution }) => ({
      name: words(factor) + (isKnown ? '' : ' (unknown)'),
      weight,
      share: value / 100,
      points: contribution,
    }));
  const scoreOf = Object.entries(features).map(([name, value]) => {
    const weight = weights[name as keyof typeof weights] * 100;
    return { name: words(name), weight, share: value / 100, points: (weight * value) / 100 };
  });
  const floorText = floors.map(
    ({ reason, atLeast }) => ` At least ${oneDigit(atLeast)}: ${words(reason).toLowerCase()}.`,
  );
  return [
    element(
      'div',
      { class: 'pair' },
      bars(
        `Risk score ${oneDigit(risk.score)}`,
        `Each factor adds points to the score; 0 is safest. ${Math.round(coverage)} % of the weights have a known input.${floorText.join('')}`,
        riskParts,
      ),
      bars(
        `Composite score ${twoDigits(compositeScores[strategy])}`,
        `Strategy ${words(strategy).toLowerCase()}. The sum is multiplied by ${twoDigits(quality)} for the length of the history.`,
        scoreOf,
      ),
    ),
  ];
}

interface Part {
  readonly name: string;
  /** Most points that it can add. */
  readonly weight: number;
  /** From 0 to 1. */
  readonly share: number;
  readonly points: number;
}

/** A table with a bar in each row. The length of its track is the weight. */
function bars(title: string, note: string, parts: readonly Part[]): HTMLElement {
  const largest = Math.max(...parts.map(({ weight }) => weight));
  const rows = parts.map(({ name, weight, share, points }) => {
    const level = element('span');
    const track = element('span', { 'aria-hidden': 'true' }, level);
    track.style.width = `${(100 * weight) / largest}%`;
    level.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    const most = element('span', { class: 'quiet' }, ` of ${oneDigit(weight)}`);
    return [name, track, element('span', {}, oneDigit(points), most)];
  });
  const columns = [
    ['Part', 'text'],
    ['Bar', 'bar'],
    ['Points', 'number'],
  ] as const;
  return element(
    'div',
    { class: 'bars' },
    element('h3', {}, title),
    element('p', { class: 'quiet' }, note),
    dataTable(title, columns, rows),
  );
}
