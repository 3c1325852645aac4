import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { buildHourlySnapshots, buildSnapshot } from '../../test/build-snapshots.js';
import { buildCapability, buildStoredReport } from '../../test/build-stored-report.js';
import { snapshotOrigins, type SnapshotStore } from '../ports.js';
import { createDatabaseCapabilityStore } from './database-capability-store.js';
import { createDatabaseReportStore } from './database-report-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(60_000);

const hour = 1_789_999_200;
const address = '0x3000000000000000000000000000000000000aBc';

describe.each(databaseBackends())('createDatabaseSnapshotStore ($name)', ({ open }) => {
  let database: DatabaseHandle;
  let store: SnapshotStore;
  let vault: number;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    store = createDatabaseSnapshotStore(database);
    await store.discardChain(8453);
    vault = (await store.register([{ vaultId: '18446744073709551615', chainId: 8453, address }])).get(
      '18446744073709551615',
    )!;
  });

  it('default: returns saved rows', async () => {
    const snapshot = buildSnapshot({ vault, t: hour + 1_799, sharePrice: 2n ** 200n, priceUsd: 3199.95 });
    await store.save([snapshot], [{ vault, from: hour, until: hour + 3_600 }]);
    expect(await store.read([vault], hour)).toEqual([snapshot]);
    expect(await store.coverage([vault])).toEqual([{ vault, from: hour, until: hour + 3_600 }]);
  });

  it('behavior: a vault keeps its id', async () => {
    const again = await store.register([
      { vaultId: '18446744073709551615', chainId: 8453, address },
      { vaultId: '7', chainId: 1, address },
    ]);
    expect(again.get('18446744073709551615')).toBe(vault);
    expect(again.get('7')).not.toBe(vault);
    expect(await store.register([])).toEqual(new Map());
  });

  it('behavior: one snapshot per hour, the newest, in any order of arrival', async () => {
    const early = buildSnapshot({ vault, t: hour + 10, sharePrice: 1n });
    const late = buildSnapshot({ vault, t: hour + 3_599, sharePrice: 2n });
    await Promise.all([store.save([late], []), store.save([early], [])]);
    await store.save([early], []);
    expect(await store.read([vault], hour)).toEqual([late]);
  });

  it('behavior: a sample of the chain replaces a chart, never the other way, in any order of arrival', async () => {
    const chain = buildSnapshot({ vault, t: hour + 10, sharePrice: 1n, origin: snapshotOrigins.chain });
    const chart = buildSnapshot({ vault, t: hour + 3_599, origin: snapshotOrigins.externalChart });
    await store.save([chart], []);
    expect(await store.read([vault], hour)).toEqual([chart]);
    await store.save([chain], []);
    await store.save([chart], []);
    expect(await store.read([vault], hour)).toEqual([chain]);
  });

  it('behavior: a final snapshot replaces a newer one of its hour, but a chart replaces no sample of the chain', async () => {
    const ofHead = buildSnapshot({ vault, t: hour + 3_599, sharePrice: 1n });
    const final = buildSnapshot({ vault, t: hour + 10, sharePrice: 2n });
    const coverage = [{ vault, from: hour, until: hour + 3_600 }];
    await store.save([ofHead], []);
    await store.save([final], coverage);
    expect(await store.read([vault], hour)).toEqual([final]);
    await store.save([{ ...ofHead, origin: snapshotOrigins.externalChart }], coverage);
    expect(await store.read([vault], hour)).toEqual([final]);
  });

  it('behavior: coverage that touches is joined, so that a late writer takes none back', async () => {
    const at = (from: number, until: number) => ({
      ...{ vault, from: hour + from * 3_600, until: hour + until * 3_600 },
    });
    for (const [saved, known] of [
      [at(10, 20), at(10, 20)],
      [at(10, 15), at(10, 20)],
      [at(20, 22), at(10, 22)],
      [at(5, 21), at(5, 22)],
      [at(30, 31), at(30, 31)],
    ] as const) {
      await store.save([], [saved]);
      expect(await store.coverage([vault])).toEqual([known]);
    }
  });

  it('behavior: one hour twice in one save counts once', async () => {
    const chart = buildSnapshot({ vault, t: hour + 3_599, origin: snapshotOrigins.externalChart });
    const early = buildSnapshot({ vault, t: hour + 10 });
    const late = buildSnapshot({ vault, t: hour + 20 });
    await store.save([chart, early, late, chart], []);
    expect(await store.read([vault], hour)).toEqual([late]);
  });

  it('behavior: makes the months it writes into, far back and across a turn of the year', async () => {
    const times = ['2019-02-28T23:59:59Z', '2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z'].map(
      (time) => Date.parse(time) / 1_000,
    );
    const snapshots = times.map((t) => buildSnapshot({ vault, t }));
    await Promise.all([
      store.save(snapshots, []),
      createDatabaseSnapshotStore(database).save([...snapshots].reverse(), []),
    ]);
    expect(await store.read([vault], 0)).toEqual(snapshots);
  });

  it('behavior: makes a month anew that was dropped since', async () => {
    const t = Date.parse('2020-05-05T05:05:00Z') / 1_000;
    await store.save([buildSnapshot({ vault, t })], []);
    await store.compact(t + 60 * 86_400);
    await store.save([buildSnapshot({ vault, t: t + 3_600 })], []);
    expect((await store.read([vault], t)).map((snapshot) => snapshot.t)).toEqual([t, t + 3_600]);
  });

  it('behavior: samplers that write the same hours in opposite orders do not lock each other out', async () => {
    const series = buildHourlySnapshots({ end: hour + 600 * 3_600, hours: 599 }, { vault });
    const reversed = [...series].reverse();
    const both = Array.from({ length: 6 }, (_, index) => store.save(index % 2 ? series : reversed, []));
    await expect(Promise.all(both)).resolves.toHaveLength(6);
    expect(await store.read([vault], hour)).toHaveLength(600);
  });

  it('behavior: reads from a time on, oldest first, one vault or many', async () => {
    const other = (
      await store.register([{ vaultId: '8', chainId: 8453, address: `${address.slice(0, -1)}d` as never }])
    ).get('8')!;
    const series = buildHourlySnapshots({ end: hour + 10 * 3_600, hours: 9 }, { vault });
    await store.save([...series].reverse(), []);
    await store.save([buildSnapshot({ vault: other, t: hour + 5 * 3_600 })], []);
    expect(await store.read([vault], hour + 8 * 3_600)).toEqual(series.slice(-3));
    expect(await store.read([vault, other], hour)).toHaveLength(11);
    expect(await store.read([], hour)).toEqual([]);
  });

  it('behavior: thousands of rows in one save', async () => {
    const series = buildHourlySnapshots({ end: hour + 5_000 * 3_600, hours: 4_999 }, { vault });
    await store.save(series, []);
    expect(await store.read([vault], hour)).toHaveLength(5_000);
  });

  it('behavior: the coverage of a hundred thousand vaults in one call', async () => {
    const many = [...Array.from({ length: 100_000 }, (_, index) => 1_000_000 + index), vault];
    await store.save([buildSnapshot({ vault, t: hour })], [{ vault, from: hour, until: hour }]);
    expect(await store.coverage(many)).toEqual([{ vault, from: hour, until: hour }]);
  });

  it('behavior: thousands of vaults are registered and covered in one call', async () => {
    const vaults = Array.from({ length: 25_000 }, (_, index) => ({
      vaultId: String(10_000_000 + index),
      chainId: 5,
      address: `0x${index.toString(16).padStart(40, '0')}` as const,
    }));
    const ids = await store.register(vaults);
    expect(new Set(ids.values()).size).toBe(25_000);
    await store.save(
      [],
      [...ids.values()].map((id) => ({ vault: id, from: hour, until: hour + 3_600 })),
    );
    expect(await store.coverage([...ids.values()])).toHaveLength(25_000);
    expect(await store.register(vaults)).toEqual(ids);
  });

  it('behavior: series as columns, whole assets for a whole share, NaN without a price', async () => {
    const other = (
      await store.register([{ vaultId: '77', chainId: 8453, address: `0x${'77'.repeat(20)}` }])
    ).get('77')!;
    await store.save(
      [
        buildSnapshot({
          vault,
          t: hour + 10,
          sharePrice: 1_234_567_890_123n,
          totalAssets: 5_000_001n,
          priceUsd: 0.5,
        }),
        buildSnapshot({ vault, t: hour + 3_700, sharePrice: 2n * 10n ** 12n, priceUsd: 0, origin: 1 }),
        buildSnapshot({
          vault: other,
          t: hour,
          sharePrice: 3n * 10n ** 24n,
          totalAssets: 10n ** 18n,
          priceUsd: 4,
        }),
      ],
      [],
    );
    const series = [];
    for await (const each of store.readSeries([other, vault, 999_999], hour, (id) => (id === other ? 18 : 6)))
      series.push(each);
    expect(series).toHaveLength(2);
    expect(series.find((each) => each.vault === vault)?.columns).toEqual({
      t: Float64Array.of(hour + 10, hour + 3_700),
      sharePrice: Float64Array.of(1_234_567_890_123 / 1e12, 2),
      tvlUsd: Float64Array.of((5_000_001 / 1e6) * 0.5, NaN),
      origin: Uint8Array.of(0, 1),
    });
    expect(series.find((each) => each.vault === other)?.columns).toEqual({
      t: Float64Array.of(hour),
      sharePrice: Float64Array.of(3),
      tvlUsd: Float64Array.of(4),
      origin: Uint8Array.of(0),
    });
  });

  it('behavior: series of more vaults than are read at once', async () => {
    const ids = await store.register(
      Array.from({ length: 45 }, (_, index) => ({
        vaultId: String(900 + index),
        chainId: 8453,
        address: `0x${(900 + index).toString().padStart(40, '0')}` as const,
      })),
    );
    const wanted = [...ids.values()];
    await store.save(
      wanted.map((id) => buildSnapshot({ vault: id, t: hour + 5 })),
      [],
    );
    const found: number[] = [];
    for await (const { vault: id, columns } of store.readSeries(wanted, hour, () => 6)) {
      expect(columns.t).toEqual(Float64Array.of(hour + 5));
      found.push(id);
    }
    expect(found.sort((a, b) => a - b)).toEqual(wanted.sort((a, b) => a - b));
  });

  it('behavior: snapshots and coverage are written together or not at all', async () => {
    const snapshot = buildSnapshot({ vault, t: hour });
    await expect(
      store.save([snapshot], [{ vault: 2 ** 31 - 1, from: hour, until: hour }]),
    ).rejects.toMatchObject({ code: '23503' });
    expect(await store.read([vault], hour)).toEqual([]);
  });

  it('behavior: forgets one chain and keeps the others', async () => {
    const kept = (
      await store.register([{ vaultId: '9', chainId: 1, address: `${address.slice(0, -1)}e` as never }])
    ).get('9')!;
    await store.save([buildSnapshot({ vault, t: hour }), buildSnapshot({ vault: kept, t: hour })], []);
    await store.setAnchor(8453, { block: 5n, hash: '0x05' });
    await store.setAnchor(8453, { block: 6n, hash: '0x06' });
    await store.setAnchor(1, { block: 7n, hash: '0x07' });
    expect(await store.anchor(8453)).toEqual({ block: 6n, hash: '0x06' });
    await store.discardChain(8453);
    expect(await store.read([vault, kept], hour)).toHaveLength(1);
    expect(await store.coverage([vault])).toEqual([]);
    expect(await store.anchor(8453)).toBeUndefined();
    expect(await store.anchor(1)).toEqual({ block: 7n, hash: '0x07' });
  });

  it('behavior: forgetting a chain forgets days, simulations and numbers too', async () => {
    const reports = createDatabaseReportStore(database);
    const capabilities = createDatabaseCapabilityStore(database);
    const t = Date.parse('2021-05-05T05:05:00Z') / 1_000;
    await store.save([buildSnapshot({ vault, t })], []);
    await store.compact(t + 60 * 86_400);
    await capabilities.save([buildCapability({ vault })]);
    const version = await reports.save(
      8453,
      hour,
      [buildStoredReport({ vault })],
      [{ chainId: 8453, address: `0x${'99'.repeat(20)}`, name: 'Other', reason: 'asset differs' }],
    );

    await store.discardChain(8453);
    expect(await store.read([vault], 0)).toEqual([]);
    expect(await capabilities.read([vault])).toEqual([]);
    expect(await reports.summaries(8453)).toEqual([]);
    expect(await reports.rejected(8453)).toEqual([]);
    expect(await reports.progress(8453)).toBeUndefined();
    expect(await reports.save(8453, hour, [], [])).toBeGreaterThan(version + 1n);
  });
});
