import { sql } from 'kysely';
import { ensurePartitions } from './partitions/month-partitions.js';
import { databaseBackends } from './testing/index.js';
import type { DatabaseHandle } from './handle.js';

jest.setTimeout(60_000);

const greatest = 2n ** 255n;

describe.each(databaseBackends())('openDatabase ($name)', ({ open }) => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  const insertVault = async (vaultId: bigint) =>
    database.db
      .insertInto('vault')
      .values({ vault_id: vaultId, chain_id: 8453, address: `0x${vaultId.toString(16)}` })
      .returning('id')
      .executeTakeFirstOrThrow();

  it('default: responds', async () => {
    await expect(database.ping()).resolves.toBeUndefined();
  });

  it('behavior: has every table of the schema', async () => {
    const { rows } = await sql<{ table_name: string }>`
      select table_name from information_schema.tables
      where table_schema = current_schema() and table_name not like 'kysely%' order by 1`.execute(
      database.db,
    );
    expect(rows.map((row) => row.table_name)).toEqual([
      'chain_report',
      'deposit_limit',
      'followed_block',
      'followed_chain',
      'followed_contract',
      'gas_payment',
      'intent',
      'intent_archive',
      'intent_duplicate',
      'ledger_restore',
      'payment',
      'position_movement',
      'position_scan',
      'rejected_vault',
      'sampling_anchor',
      'sampling_checkpoint',
      'setup_submission',
      'share_movement',
      'user_operation',
      'vault',
      'vault_capability',
      'vault_exit',
      'vault_report',
      'vault_snapshot',
      'vault_snapshot_daily',
      'wallet_past',
    ]);
  });

  it('behavior: integers, numerics, times, doubles and JSON read alike', async () => {
    const { id } = await insertVault(2n ** 64n - 1n);
    const hour = new Date('2026-11-20T10:00:00Z');
    const t = new Date('2026-11-20T10:59:58Z');
    await ensurePartitions(database.db, 'vault_snapshot', [t.getTime() / 1_000]);
    await database.db
      .insertInto('vault_snapshot')
      .values({
        vault_id: id,
        hour,
        t,
        block: 2n ** 53n + 1n,
        share_price: greatest,
        total_assets: '12345678901234567890',
        total_supply: 0n,
        price_usd: 0.1 + 0.2,
        source: 1,
        origin: 0,
      })
      .execute();
    const row = await database.db
      .selectFrom('vault_snapshot')
      .selectAll()
      .where('vault_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      vault_id: id,
      hour,
      t,
      block: 2n ** 53n + 1n,
      share_price: greatest.toString(),
      total_assets: '12345678901234567890',
      total_supply: '0',
      price_usd: 0.1 + 0.2,
      source: 1,
      origin: 0,
    });
    expect(typeof id).toBe('number');
    const { count } = await database.db
      .selectFrom('vault_snapshot')
      .select((e) => e.fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1n);
  });

  it('behavior: JSON goes in as text and comes out parsed, arrays too', async () => {
    const response = [{ hash: '0x1' }, 'b', null];
    await database.db
      .insertInto('setup_submission')
      .values({
        tx_hash: '0xaa',
        chain_id: 1n,
        wallet: '0xbb',
        ticket_id: '0xcc',
        state: 'submitted',
        response: JSON.stringify(response),
      })
      .execute();
    const row = await database.db.selectFrom('setup_submission').selectAll().executeTakeFirstOrThrow();
    expect(row.response).toEqual(response);
    expect(row.chain_id).toBe(1n);
    expect(row.created_at).toBeInstanceOf(Date);
  });

  it('behavior: reports how many rows a statement changed', async () => {
    await insertVault(101n);
    const changed = await database.db
      .updateTable('vault')
      .set({ chain_id: 2n })
      .where('vault_id', '=', '101')
      .executeTakeFirstOrThrow();
    expect(changed.numUpdatedRows).toBe(1n);
    const ignored = await database.db
      .insertInto('vault')
      .values({ vault_id: 101n, chain_id: 3n, address: '0x99' })
      .onConflict((conflict) => conflict.column('vault_id').doNothing())
      .executeTakeFirstOrThrow();
    expect(ignored.numInsertedOrUpdatedRows).toBe(0n);
  });

  it('error: a broken rule of a table keeps its SQLSTATE', async () => {
    await insertVault(102n);
    await expect(insertVault(102n)).rejects.toMatchObject({ code: '23505' });
    await expect(
      database.db.insertInto('vault').values({ vault_id: 103n, chain_id: 1n, address: '0xAB' }).execute(),
    ).rejects.toMatchObject({ code: '23514' });
    await expect(database.ping()).resolves.toBeUndefined();
  });

  it('behavior: a transaction that throws leaves nothing', async () => {
    await expect(
      database.db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('vault')
          .values({ vault_id: 104n, chain_id: 1n, address: '0x104' })
          .execute();
        throw new RangeError('stop');
      }),
    ).rejects.toBeInstanceOf(RangeError);
    const rows = await database.db.selectFrom('vault').select('id').where('vault_id', '=', '104').execute();
    expect(rows).toEqual([]);
  });

  it('behavior: of many inserts of the same key at once one wins', async () => {
    const reserve = (chainId: bigint) =>
      database.db
        .insertInto('vault')
        .values({ vault_id: 200n, chain_id: chainId, address: '0x200' })
        .onConflict((conflict) => conflict.column('vault_id').doNothing())
        .returning('chain_id')
        .executeTakeFirst();
    const responses = await Promise.all(Array.from({ length: 25 }, (_, index) => reserve(BigInt(index))));
    expect(responses.filter((answer) => answer !== undefined)).toHaveLength(1);
  });

  it('behavior: transactions at the same time keep every increment', async () => {
    const { id } = await insertVault(105n);
    const increment = () =>
      database.db.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom('vault')
          .select('chain_id')
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirstOrThrow();
        await transaction
          .updateTable('vault')
          .set({ chain_id: row.chain_id + 1n })
          .where('id', '=', id)
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, increment));
    const row = await database.db
      .selectFrom('vault')
      .select('chain_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.chain_id).toBe(8473n);
  });

  it('behavior: close may be called again', async () => {
    const other = await open();
    await Promise.all([other.close(), other.close()]);
    await expect(other.close()).resolves.toBeUndefined();
    await expect(other.ping()).rejects.toThrow();
  });
});
