import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { snapshotOrigins } from '@yield-vault/vault-metrics';
import { buildSnapshot } from '../../test/build-snapshots.js';
import { buildCapability, buildStoredReport } from '../../test/build-stored-report.js';
import { readSamples, toSamples } from '../../test/read-samples.js';
import type { Snapshot, SnapshotStore } from '../ports.js';
import { createDatabaseCapabilityStore } from './database-capability-store.js';
import { createDatabaseReportStore } from './database-report-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

const hour = 1_789_999_200;
const address = '0x3000000000000000000000000000000000000aBc';
const vaultId = '18446744073709551615';
const at = (time: string) => Date.parse(time) / 1_000;

describe('createDatabaseSnapshotStore', () => {
  let database: DatabaseHandle;
  let store: SnapshotStore;
  let vault: number;

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
    store = createDatabaseSnapshotStore(database);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await store.discardChain(8453);
    vault = await register(vaultId, 8453, address);
  });

  const register = async (id: string, chainId: number, of: `0x${string}`) =>
    (await store.register([{ vaultId: id, chainId, address: of }])).get(id)!;
  const build = (overrides: Partial<Snapshot>) => buildSnapshot({ vault, ...overrides });
  const expectStored = async (snapshots: readonly Snapshot[]) =>
    expect(await readSamples(store, [vault], 0)).toEqual(toSamples(snapshots));
  /** Coverage in hours. */
  const covering = (from: number, until: number) => ({
    vault,
    from: hour + from * 3_600,
    until: hour + until * 3_600,
  });

  it('default: returns saved rows', async () => {
    const snapshot = build({ t: hour + 1_799, sharePrice: 2n ** 200n, priceUsd: 3199.95 });
    await store.save([snapshot], [covering(0, 1)]);
    await expectStored([snapshot]);
    expect(await store.coverage([vault])).toEqual([covering(0, 1)]);
  });

  it('behavior: a vault keeps its id', async () => {
    expect(await register(vaultId, 8453, address)).toBe(vault);
    expect(await register('7', 1, address)).not.toBe(vault);
    expect(await store.register([])).toEqual(new Map());
  });

  describe('one snapshot per hour', () => {
    const chart = () => build({ t: hour + 3_599, origin: snapshotOrigins.externalChart });
    const early = () => build({ t: hour + 10, sharePrice: 1n });
    const late = () => build({ t: hour + 3_599, sharePrice: 2n });

    it.each<[string, (() => Snapshot)[][], () => Snapshot]>([
      ['the newest', [[late], [early]], late],
      ['the newest of one save', [[chart, early, late, chart]], late],
      ['a sample of the chain, after a chart', [[chart], [early]], early],
      ['a sample of the chain, before a chart', [[early], [chart]], early],
    ])('behavior: %s stays', async (_, saves, expected) => {
      for (const save of saves)
        await store.save(
          save.map((make) => make()),
          [],
        );
      await expectStored([expected()]);
    });

    it('behavior: a final snapshot replaces a newer one, but a chart replaces no sample of the chain', async () => {
      await store.save([late()], []);
      await store.save([early()], [covering(0, 1)]);
      await expectStored([early()]);
      await store.save([chart()], [covering(0, 1)]);
      await expectStored([early()]);
    });
  });

  it('behavior: coverage that touches is joined, so that a late writer takes none back', async () => {
    for (const [saved, known] of [
      [covering(10, 20), covering(10, 20)],
      [covering(10, 15), covering(10, 20)],
      [covering(20, 22), covering(10, 22)],
      [covering(5, 21), covering(5, 22)],
      [covering(30, 31), covering(30, 31)],
    ] as const) {
      await store.save([], [saved]);
      expect(await store.coverage([vault])).toEqual([known]);
    }
  });

  it('behavior: makes the months it writes into, far back and across a turn of the year, also after a drop', async () => {
    const times = ['2019-02-28T23:59:59Z', '2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z'].map(at);
    const snapshots = times.map((t) => build({ t }));
    const other = createDatabaseSnapshotStore(database);
    await Promise.all([store.save(snapshots, []), other.save([...snapshots].reverse(), [])]);
    await expectStored(snapshots);
    await store.compact(times[1]!);
    const again = build({ t: times[0]! - 7_200 });
    await store.save([again], []);
    await expectStored([again, ...snapshots]);
  });

  it('behavior: series as columns, whole assets for a whole share, NaN without a price', async () => {
    const other = await register('77', 8453, `0x${'77'.repeat(20)}`);
    const sharePrice = 1_234_567_890_123n;
    await store.save(
      [
        build({ t: hour + 10, sharePrice, totalAssets: 5_000_001n, priceUsd: 0.5 }),
        build({ t: hour + 3_700, sharePrice: 2n * 10n ** 12n, priceUsd: 0, origin: 1 }),
        build({ vault: other, t: hour, sharePrice: 3n * 10n ** 24n, totalAssets: 10n ** 18n, priceUsd: 4 }),
      ],
      [],
    );
    const series = new Map<number, object>();
    const decimalsOf = (id: number) => (id === other ? 18 : 6);
    for await (const each of store.readSeries([other, vault, 999_999], hour, decimalsOf))
      series.set(each.vault, each.columns);
    expect(series.size).toBe(2);
    expect(series.get(vault)).toEqual({
      t: Float64Array.of(hour + 10, hour + 3_700),
      sharePrice: Float64Array.of(1_234_567_890_123 / 1e12, 2),
      tvlUsd: Float64Array.of((5_000_001 / 1e6) * 0.5, NaN),
      origin: Uint8Array.of(0, 1),
    });
    expect(series.get(other)).toMatchObject({ sharePrice: Float64Array.of(3), tvlUsd: Float64Array.of(4) });
  });

  it('behavior: snapshots and coverage are written together or not at all', async () => {
    const foreign = { ...covering(0, 0), vault: 2 ** 31 - 1 };
    await expect(store.save([build({ t: hour })], [foreign])).rejects.toMatchObject({ code: '23503' });
    await expectStored([]);
  });

  it('behavior: forgets one chain, with its days, simulations and numbers, and keeps the others', async () => {
    const reports = createDatabaseReportStore(database);
    const capabilities = createDatabaseCapabilityStore(database);
    const kept = await register('9', 1, `0x${'9'.repeat(40)}`);
    const t = at('2021-05-05T05:05:00Z');
    await store.save([build({ t }), build({ t: hour }), build({ vault: kept, t: hour })], [covering(0, 1)]);
    await store.compact(t + 60 * 86_400);
    for (const block of [5n, 6n]) await store.setAnchor(8453, { block, hash: '0x06' });
    await store.setAnchor(1, { block: 7n, hash: '0x07' });
    expect(await store.anchor(8453)).toEqual({ block: 6n, hash: '0x06' });
    await capabilities.save([buildCapability({ vault })]);
    const rejected = { chainId: 8453, address, name: 'Other', reason: 'asset differs' } as const;
    const version = await reports.save(8453, hour, [buildStoredReport({ vault })], [rejected]);

    await store.discardChain(8453);
    await expectStored([]);
    expect(await readSamples(store, [kept], 0)).toHaveLength(1);
    expect([await store.coverage([vault]), await capabilities.read([vault])]).toEqual([[], []]);
    expect([await reports.summaries(8453), await reports.rejected(8453)]).toEqual([[], []]);
    expect([await store.anchor(8453), await reports.progress(8453)]).toEqual([undefined, undefined]);
    expect(await store.anchor(1)).toEqual({ block: 7n, hash: '0x07' });
    expect(await reports.save(8453, hour, [], [])).toBeGreaterThan(version + 1n);
  });
});
