import { storeChainEvents, type DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import type { MovementKind } from '@yield-vault/smart-account';
import { chainId, other, second, vault, wallet } from '../test/start-service.js';
import { storedMovements, storePrices } from './stored-events.js';

describe('stored movements', () => {
  let database: DatabaseHandle;
  let rows = 0;
  const store = async (kind: MovementKind, shares: bigint, assets?: bigint, of = vault, blockNumber = 7n) => {
    rows += 1;
    const owner = wallet.toLowerCase();
    const row = { wallet: owner, vault: of, kind, shares, assets, blockNumber, logIndex: rows };
    await storeChainEvents(database.db, chainId, { movements: [row], operations: [] });
  };
  const found = async () =>
    Object.fromEntries(
      [...(await storedMovements(database.db, { chainId, wallet }, 8n))!].map(([of, movements]) => [
        of,
        movements
          .map(
            ({ kind, shares, assets, blockNumber, logIndex }) =>
              `${blockNumber}/${logIndex} ${kind} ${shares} ${assets}`,
          )
          .sort(),
      ]),
    );

  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    rows = 0;
    await database.db.deleteFrom('share_movement').execute();
  });

  it('default: one a vault, block, kind and price, and no share leaves before it came', async () => {
    await store('withdraw', 1n, 2n);
    await store('deposit', 10n, 20n);
    await store('withdraw', 2n, 4n);
    await store('deposit', 20n, 40n);
    await store('transfer-in', 5n);
    await store('transfer-in', 6n);
    await store('transfer-in', 7n, 14n);
    await store('deposit', 1n, 1n, second);
    await store('deposit', 1n, 1n, second, 8n);
    await store('deposit', 1n, 1n, second, 9n);
    expect(await found()).toEqual({
      [vault]: [
        '7/2 deposit 30 60',
        '7/3 withdraw 3 6',
        '7/5 transfer-in 11 undefined',
        '7/7 transfer-in 7 14',
      ],
      [second]: ['7/8 deposit 1 1', '8/9 deposit 1 1'],
    });
  });

  it('behavior: each transfer of a block gets its share of the price', async () => {
    const most = 2n ** 256n - 1n;
    await store('transfer-in', 1n);
    await store('transfer-in', most - 1n);
    await store('transfer-in', 5n, 1n);
    await store('transfer-in', 5n, undefined, second);
    await store('transfer-in', 5n, undefined, vault, 8n);
    await store('transfer-out', 5n);
    const price = [7n, { shares: most, assets: most - 1n }] as const;
    await storePrices(database.db, { chainId, wallet: other }, vault, [price]);
    await storePrices(database.db, { chainId, wallet }, vault, [price]);
    const stored = await database.db
      .selectFrom('share_movement')
      .select('assets')
      .orderBy('log_index')
      .execute();
    const assets = ['0', String(most - 2n), '1', null, null, null];
    expect(stored).toEqual(assets.map((each) => ({ assets: each })));
  });
});
