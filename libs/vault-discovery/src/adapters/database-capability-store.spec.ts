import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { capabilityResults } from '@yield-vault/protocol';
import { buildCapability } from '../../test/build-stored-report.js';
import { createDatabaseCapabilityStore } from './database-capability-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(60_000);

describe('createDatabaseCapabilityStore', () => {
  let database: DatabaseHandle;
  let store: ReturnType<typeof createDatabaseCapabilityStore>;
  let ids: readonly number[];

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
    store = createDatabaseCapabilityStore(database);
    const found = await createDatabaseSnapshotStore(database).register(
      Array.from({ length: 1_500 }, (_, index) => ({
        vaultId: String(index),
        chainId: 1,
        address: `0x${index.toString().padStart(40, '0')}` as const,
      })),
    );
    ids = [...found.values()];
  });
  afterAll(() => database.close());

  it('default: returns saved rows', async () => {
    const ok = buildCapability({ vault: ids[0]!, assetsOut: 2n ** 200n });
    const closed = buildCapability({
      vault: ids[1]!,
      result: 'deposit-closed',
      failedStep: 'deposit',
      reason: 'ERC4626ExceededMaxDeposit',
    });
    await store.save([ok, closed]);
    expect(new Set(await store.read([ids[0]!, ids[1]!, ids[2]!]))).toEqual(new Set([ok, closed]));
  });

  it('behavior: the newest stays, in any order of arrival', async () => {
    const early = buildCapability({ vault: ids[3]!, checkedAt: 1_790_000_000 });
    const late = buildCapability({ vault: ids[3]!, checkedAt: 1_790_000_600, result: 'paused' });
    await store.save([late, early]);
    await store.save([early]);
    expect(await store.read([ids[3]!])).toEqual([late]);
  });

  it('behavior: every result, thousands at once', async () => {
    const checkedAt = 1_800_000_000;
    const resultOf = (index: number) => capabilityResults[index % capabilityResults.length];
    await store.save(
      ids.map((vault, index) => buildCapability({ vault, checkedAt, result: resultOf(index) })),
    );
    const results = (await store.read(ids)).map(({ result }) => result);
    expect(results).toHaveLength(1_500);
    expect(new Set(results)).toEqual(new Set(capabilityResults));
  });
});
