import { buildColumns } from '../../test/build-columns.js';
import { buildHourlySnapshots } from '../../test/build-snapshots.js';
import type { Snapshot } from '../ports.js';
import { buildHistory, historySpan } from './build-history.js';

const now = 1_795_046_400; // a UTC midnight
const vaultId = '7';
const snapshots = buildHourlySnapshots({ end: now - 60, hours: 95 * 24 });
const build = (query: object, of: readonly Snapshot[] = snapshots, at = now) =>
  buildHistory(buildColumns(of), { vaultId, period: '7d', ...query }, at);

describe('buildHistory', () => {
  it.each([
    ['1h', 'hourly', 1],
    ['24h', 'hourly', 24],
    ['7d', 'hourly', 168],
    ['30d', 'daily', 30],
    ['90d', 'daily', 90],
  ] as const)('default: %s is %s', (period, resolution, points) => {
    const response = build({ period });
    expect(response).toMatchObject({ vaultId, period, resolution });
    expect(response.data).toHaveLength(points);
    expect(response.summary.dataPoints).toBe(points);
    expect(response.summary.avgApy).toBeCloseTo(5, 3);
    expect(response.summary.avgTvl).toBe(25_000_000);
  });

  it.each([
    ['1h', 1],
    ['24h', 24],
    ['30d', 30],
  ])('behavior: %s loses no point while the snapshot of a new hour is on its way', (period, points) => {
    const beforeTheFullHour = build({ period }, snapshots, now - 1).data;
    const afterTheFullHour = build({ period }, snapshots, now + 30).data;
    expect(beforeTheFullHour.length).toBeGreaterThanOrEqual(points);
    expect(afterTheFullHour).toHaveLength(points);
    expect(afterTheFullHour.at(-1)).toEqual(beforeTheFullHour.at(-1));
  });

  it('behavior: a requested resolution wins', () => {
    expect(build({ period: '90d', resolution: 'hourly' }).data).toHaveLength(2_160);
    expect(build({ period: '24h', resolution: 'daily' }).data).toHaveLength(1);
  });

  it('behavior: a point is the last snapshot of its bucket, and hourly and daily agree on it', () => {
    const daily = build({ resolution: 'daily' }).data;
    const hourly = build({ resolution: 'hourly' }).data;
    for (const point of daily) expect(hourly).toContainEqual(point);
    expect(daily.at(-1)?.timestamp).toBe(new Date((now - 60) * 1_000).toISOString());
  });

  it('behavior: empty buckets are left out', () => {
    const gap = snapshots.filter(({ t }) => t < now - 5 * 86_400 || t > now - 3 * 86_400);
    expect(build({}, gap).data).toHaveLength(168 - 48);
  });

  it('behavior: no data is zeros', () => {
    const summary = { avgApy: 0, maxApy: 0, minApy: 0, avgTvl: 0, dataPoints: 0 };
    for (const columns of [buildColumns([]), undefined])
      expect(buildHistory(columns, { vaultId, period: '7d' }, now)).toMatchObject({ data: [], summary });
  });

  it('behavior: without a price no TVL is claimed, and the APY stays', () => {
    const priceless = snapshots.map((snapshot) => ({ ...snapshot, priceUsd: 0 }));
    const { data } = build({}, priceless);
    expect(data).toHaveLength(168);
    expect(data.at(-1)).toMatchObject({ tvl: 0, apy: expect.closeTo(5, 3) });
  });

  it('behavior: the span leaves the first point its day', () => {
    const needed = snapshots.filter(({ t }) => t >= now - historySpan('7d'));
    expect(build({}, needed)).toEqual(build({}));
  });
});
