import type { DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { buildHourlySnapshots, buildSnapshot } from '../../test/build-snapshots.js';
import type { SnapshotStore } from '../ports.js';
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

  it('default: gives back what was saved', async () => {
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

  it('behavior: one snapshot per hour, the newest, in whatever order they come', async () => {
    const early = buildSnapshot({ vault, t: hour + 10, sharePrice: 1n });
    const late = buildSnapshot({ vault, t: hour + 3_599, sharePrice: 2n });
    await Promise.all([store.save([late], []), store.save([early], [])]);
    await store.save([early], []);
    expect(await store.read([vault], hour)).toEqual([late]);
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

  it('behavior: snapshots and how far they reach are written together or not at all', async () => {
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
});
