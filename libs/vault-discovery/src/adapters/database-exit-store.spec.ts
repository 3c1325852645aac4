import type { DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { buildExit } from '../../test/build-exit.js';
import type { ExitStore } from '../ports.js';
import { createDatabaseExitStore } from './database-exit-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(60_000);

const hour = 3_600;
const noon = Date.parse('2026-11-20T12:00:30Z') / 1_000;

describe.each(databaseBackends())('createDatabaseExitStore ($name)', ({ open }) => {
  let database: DatabaseHandle;
  let store: ExitStore;
  let ids: readonly number[];

  beforeAll(async () => {
    database = await open();
    store = createDatabaseExitStore(database);
    const vaults = Array.from({ length: 250 }, (_, index) => ({
      vaultId: String(index),
      chainId: 1,
      address: `0x${index.toString().padStart(40, '0')}` as const,
    }));
    ids = [...(await createDatabaseSnapshotStore(database).register(vaults)).values()];
  });
  afterAll(() => database.close());

  const stateOf = async (vault: number) => (await store.read([vault])).get(vault);
  /** Save these amounts, one an hour until noon. */
  const saveHours = (vault: number, amounts: readonly (bigint | null)[]) =>
    store.save(
      amounts.map((instant, index) =>
        buildExit({
          vault,
          instant,
          method: instant === null ? 'unknown' : 'simulated',
          checkedAt: noon - (amounts.length - 1 - index) * hour,
          totalAssets: 1_000n,
        }),
      ),
    );

  it('default: the newest sample as it was saved; nothing of an unknown vault', async () => {
    const sample = buildExit({
      vault: ids[0]!,
      checkedAt: noon,
      method: 'protocol',
      instant: 2n ** 250n,
      totalAssets: 2n ** 255n,
      exitBps: null,
      accrues: null,
      curve: [{ assets: 2n ** 249n, receivedBps: 9_950 }],
    });
    await store.save([sample]);
    expect(await stateOf(ids[0]!)).toEqual({
      newest: sample,
      previous: undefined,
      p10: { instant: 2n ** 250n, fraction: 2 ** -5 },
      days: [{ t: noon - (noon % 86_400), instant: 2n ** 250n }],
    });
    expect(await stateOf(ids[1]!)).toBeUndefined();
  });

  it('behavior: the sample of the hour before, the lowest decile, and the lowest of each day', async () => {
    await saveHours(
      ids[2]!,
      Array.from({ length: 20 }, (_, index) => BigInt(100 + index * 10)),
    );
    const state = await stateOf(ids[2]!);
    expect([state?.newest.instant, state?.previous?.instant]).toEqual([290n, 280n]);
    // The second of twenty.
    expect(state?.p10).toEqual({ instant: 110n, fraction: 0.11 });
    expect(state?.days).toEqual([
      { t: Date.parse('2026-11-19') / 1_000, instant: 100n },
      { t: Date.parse('2026-11-20') / 1_000, instant: 170n },
    ]);
    expect(state?.previous).toMatchObject({ curve: [] });
  });

  it('behavior: unknown samples are samples, and count for no amount', async () => {
    await saveHours(ids[3]!, [400n, null, null]);
    expect(await stateOf(ids[3]!)).toMatchObject({
      newest: { method: 'unknown', instant: null },
      previous: { method: 'unknown' },
      p10: { instant: 400n, fraction: 0.4 },
    });
    await saveHours(ids[4]!, [null]);
    expect(await stateOf(ids[4]!)).toMatchObject({ p10: undefined, days: [] });
  });

  it('behavior: the newest of an hour stays, and 30 days are kept', async () => {
    const vault = ids[5]!;
    await store.save([buildExit({ vault, checkedAt: noon, instant: 5n })]);
    await store.save([buildExit({ vault, checkedAt: noon - 10, instant: 4n })]);
    expect((await stateOf(vault))?.newest.instant).toBe(5n);
    const later = noon + 30 * 86_400;
    await store.save([buildExit({ vault, checkedAt: later, instant: 6n })]);
    expect((await stateOf(vault))?.previous?.instant).toBe(5n);
    await store.save([buildExit({ vault, checkedAt: later + hour, instant: 7n })]);
    expect(await stateOf(vault)).toMatchObject({ previous: { instant: 6n }, p10: { instant: 6n } });
  });

  it('behavior: many vaults at once; a discarded chain has none', async () => {
    await store.save(ids.map((vault) => buildExit({ vault, checkedAt: noon + 90 * 86_400 })));
    expect((await store.read(ids)).size).toBe(ids.length);
    await createDatabaseSnapshotStore(database).discardChain(1);
    expect((await store.read(ids)).size).toBe(0);
  });
});
