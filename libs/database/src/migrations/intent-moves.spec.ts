import { sql } from 'kysely';
import { oldBackends, type OldDatabase } from '../../test/support/old-databases.js';

describe.each(oldBackends)('0007-intent-moves ($name)', ({ open }) => {
  let database: OldDatabase;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  it('default: keeps the intents of an older database, without what nothing reads', async () => {
    const { db, migrateTo } = database;
    await migrateTo('0006-claim-payment');
    await sql`
      insert into intent (
        intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation,
        tx_hash, block_number, gas_used, success, response
      ) values (
        '0x01', 8453, '0xa1', 'confirmed', '0x02', 7, 1800000000, '{}', '0x03', 101, 210000, true, '{"txHash":"0x03"}'
      )`.execute(db);

    await migrateTo('0007-intent-moves');
    const intent = await db.selectFrom('intent').selectAll().executeTakeFirstOrThrow();
    expect(intent).toMatchObject({ intent_id: '0x01', moves: null, response: { txHash: '0x03' } });
    for (const gone of ['block_number', 'gas_used', 'success']) expect(intent).not.toHaveProperty(gone);
    const { rows } = await sql<{ indexname: string }>`
      select indexname from pg_indexes where tablename = 'intent' order by 1`.execute(db);
    expect(rows.map(({ indexname }) => indexname)).toEqual(['intent_pkey', 'intent_unsettled']);
  });
});
