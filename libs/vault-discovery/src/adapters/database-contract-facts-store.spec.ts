import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { buildContractFacts } from '../../test/build-contract-facts.js';
import { createDatabaseContractFactsStore } from './database-contract-facts-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(60_000);

describe('createDatabaseContractFactsStore', () => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await openDatabase({ memory: true });
  });
  afterAll(() => database.close());

  it('default: the newest reading stays until its chain is discarded', async () => {
    const snapshots = createDatabaseSnapshotStore(database);
    const address = '0x0000000000000000000000000000000000000001';
    const ids = await snapshots.register([{ vaultId: '1', chainId: 1, address }]);
    const vault = ids.get('1')!;
    const store = createDatabaseContractFactsStore(database);
    const newest = buildContractFacts({
      vault,
      checkedAt: 1_790_000_600,
      governance: { pendingChanges: [{ change: 'fee: 10 %', loosens: true, validAt: null }] },
      words: { oracle: 'rate' },
    });
    await store.save([newest]);
    await store.save([buildContractFacts({ vault, checkedAt: 1_790_000_000 })]);
    expect(await store.read([vault, vault + 1])).toEqual([newest]);
    await snapshots.discardChain(1);
    expect(await store.read([vault])).toEqual([]);
  });
});
