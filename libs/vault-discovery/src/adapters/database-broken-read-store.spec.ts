import type { DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import type { BrokenReadStore } from '../ports.js';
import { createDatabaseBrokenReadStore } from './database-broken-read-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(60_000);

describe.each(databaseBackends())('createDatabaseBrokenReadStore ($name)', ({ open }) => {
  let database: DatabaseHandle;
  let store: BrokenReadStore;
  let vault: number;
  let other: number;

  beforeAll(async () => {
    database = await open();
    store = createDatabaseBrokenReadStore(database);
    const ids = await createDatabaseSnapshotStore(database).register(
      ['1', '2'].map((id) => ({ vaultId: id, chainId: 1, address: `0x${id.repeat(40)}` as const })),
    );
    [vault, other] = [ids.get('1')!, ids.get('2')!];
  });
  afterAll(() => database.close());

  it('default: remembers until it is mended', async () => {
    const assets = { vault, functionName: 'totalAssets', sinceBlock: 2n ** 60n, retryAt: 1_790_000_000 };
    const supply = { ...assets, functionName: 'totalSupply' };
    const elsewhere = { ...assets, vault: other };
    await store.save([assets, supply, elsewhere]);
    expect(new Set(await store.read([vault, other]))).toEqual(new Set([assets, supply, elsewhere]));
    await store.clear([assets, { vault: other, functionName: 'totalSupply' }]);
    expect(new Set(await store.read([vault, other]))).toEqual(new Set([supply, elsewhere]));
    expect(await store.read([])).toEqual([]);
  });

  it('behavior: a later time to try again takes the place of the one before', async () => {
    const read = { vault, functionName: 'asset', sinceBlock: 1n, retryAt: 1_790_000_000 };
    await store.save([read]);
    await store.save([
      { ...read, retryAt: read.retryAt + 60 },
      { ...read, retryAt: read.retryAt + 120 },
    ]);
    expect(await store.read([vault])).toContainEqual({ ...read, retryAt: read.retryAt + 120 });
  });
});
