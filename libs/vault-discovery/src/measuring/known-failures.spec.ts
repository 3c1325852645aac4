import { vaultWarnings } from '@yield-vault/protocol';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildExit } from '../../test/build-exit.js';
import { buildMeasureInput } from '../../test/build-measure-input.js';
import { buildSnapshot, buildTrackedVault } from '../../test/build-snapshots.js';
import { buildCapability } from '../../test/build-stored-report.js';
import failures from '../../test/vectors/known-failures.json' with { type: 'json' };
import { measureVaults } from './measure-vaults.js';

type Failure = (typeof failures.failures)[number];
type Points = readonly (readonly [t: number, value: number])[];

const hour = 3_600;
const secondsOf = (time: string) => Date.parse(time) / 1_000;
const baseUnits = (usd: number) => BigInt(Math.round(usd * 1e6));

const pointsOf = (column: readonly (readonly (string | number)[])[] = []): Points =>
  column.map(([time, value]) => [secondsOf(String(time)), Number(value)]);

/** The last value at or before a time, else the first one. */
const valueAt = (points: Points, t: number): number =>
  (points.findLast(([time]) => time <= t) ?? points[0]!)[1];

/** Between two points the price grows evenly. */
function priceAt(points: Points, t: number): number {
  const next = points.findIndex(([time]) => time > t);
  if (next < 0) return valueAt(points, t);
  const [[before, low], [after, high]] = [points[next - 1]!, points[next]!];
  return low * (high / low) ** ((t - before) / (after - before));
}

/** A vault as good as a registry can have it, so that only the figures react. */
const vault = buildTrackedVault({
  facts: {
    admin: 'multisig',
    timelockSeconds: 259_200,
    audits: 25,
    curator: 'known_guarded',
    strategy: 'multi_market',
    assetClass: 'fiat_stable',
    oracle: 'chainlink',
    top1Share: 0.2,
  },
  firstSeen: '2024-01-01',
});

function recordingsOf(failure: Failure) {
  const { accrues } = failure;
  const [price, tvl, exits] = [failure.price, failure.tvlUsd, failure.exitUsd].map(pointsOf) as [
    Points,
    Points,
    Points,
  ];
  const stuck = pointsOf(failure.stuckUsd);
  const start = price[0]![0];
  return Array.from({ length: (secondsOf(failure.until) - start) / hour + 1 }, (_, index) => {
    const t = start + index * hour;
    const tvlUsd = valueAt(tvl, t);
    const exitUsd = exits.length > 0 ? valueAt(exits, t) : Math.max(0, tvlUsd - valueAt(stuck, t));
    const totalAssets = baseUnits(tvlUsd);
    const sharePrice = BigInt(Math.round(priceAt(price, t) * 1e12));
    return {
      snapshot: buildSnapshot({ t, sharePrice, totalAssets }),
      exit: buildExit({ checkedAt: t, instant: baseUnits(exitUsd), totalAssets, accrues }),
    };
  });
}

/** Measure the vault at each hour, with the samples up to then. */
async function replay(failure: Failure) {
  const recordings = recordingsOf(failure);
  const measured = [];
  for (const [index, { snapshot, exit }] of recordings.entries()) {
    if (snapshot.t < secondsOf(failure.from)) continue;
    const month = recordings.slice(Math.max(0, index - 30 * 24 + 1), index + 1);
    const lowest = month
      .map((each) => ({
        instant: each.exit.instant!,
        fraction: Number(each.exit.instant) / Number(each.exit.totalAssets),
      }))
      .sort((a, b) => a.fraction - b.fraction);
    const input = buildMeasureInput({
      vault,
      snapshots: recordings.slice(Math.max(0, index - 31 * 24), index + 1).map((each) => each.snapshot),
      capability: buildCapability({ checkedAt: snapshot.t }),
      exit: {
        newest: exit,
        previous: recordings[index - 1]?.exit,
        p10: lowest[Math.ceil(lowest.length / 10) - 1],
        days: [],
      },
    });
    const options = { now: snapshot.t + 60, minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 };
    const [stored] = await measureVaults([input], options);
    measured.push({ t: snapshot.t, ...stored!.summary });
  }
  return measured;
}

async function rowOf(failure: Failure): Promise<string[]> {
  const measured = await replay(failure);
  const event = secondsOf(failure.event);
  const [first] = measured;
  const since = (found: { readonly t: number } | undefined) => {
    if (found === undefined) return 'never';
    if (found === first) return 'from the start';
    const hours = (found.t - event) / hour;
    return `${hours < 0 ? '−' : '+'}${Math.abs(hours)} h`;
  };
  const unlisted = measured.find(({ listed }) => !listed);
  const worst = Math.max(...measured.filter(({ t }) => t >= event).map(({ risk }) => risk.score));
  return [
    failure.name,
    failure.eventName,
    `${first!.risk.score} → ${worst}`,
    since(measured.find(({ risk }) => risk.level !== first!.risk.level)),
    unlisted ? `${since(unlisted)}, ${unlisted.exclusions.join(', ')}` : 'never',
    since(measured.find((each) => vaultWarnings(each, 100_000).some(({ code }) => code === 'EXIT_THIN'))),
    String(unlisted ? measured.filter(({ t, listed }) => t > unlisted.t && listed).length : 0),
  ];
}

describe('known failures', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/metrics.md'), 'utf8');

  it('behavior: react at the hours that the documentation lists', async () => {
    const rows = [];
    for (const failure of failures.failures) rows.push(await rowOf(failure));
    const start = page.split('\n').findIndex((line) => line.startsWith('| failure '));
    const documented = page
      .split('\n')
      .slice(start + 2, start + 2 + rows.length)
      .map((line) =>
        line
          .replaceAll('`', '')
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(documented).toEqual(rows);
    const lost = rows.map((row) => row[4]!).filter((excluded) => excluded.endsWith('no-exit'));
    expect(lost).toEqual(lost.map(() => expect.stringMatching(/^\+[012] h/) as string));
  });
});
