import { createPartitions, type DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { CompiledQuery, sql, type KyselyPlugin } from 'kysely';
import { archiveIntents } from './archive-intents.js';
import { listOfWallet } from './intent-archive.js';

jest.setTimeout(240_000);

const capturing = (db: DatabaseHandle['db'], statements: CompiledQuery[]): KyselyPlugin => ({
  transformQuery: ({ node, queryId }) => {
    statements.push(db.getExecutor().compileQuery(node, queryId));
    return node;
  },
  transformResult: ({ result }) => Promise.resolve(result),
});

describe.each(databaseBackends())('archiveIntents ($name)', ({ open, name }) => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  it('behavior: of 100,000 intents, a batch is found by index', async () => {
    const statements: CompiledQuery[] = [];
    await archiveIntents({ db: database.db.withPlugin(capturing(database.db, statements)) }, { days: 400 });
    const { sql: text, parameters } = statements[0]!;
    await sql`
      insert into intent (intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation, updated_at)
      select n, 1, '0x', 'confirmed', n, n, extract(epoch from now()) - 2 * n, '{}', now() - 2 * n * interval '1 second'
      from generate_series(1, 100000) as n`.execute(database.db);
    await sql`analyze intent`.execute(database.db);
    const { rows } = await database.db.executeQuery<Record<'QUERY PLAN', string>>(
      CompiledQuery.raw(`explain (analyze) ${text}`, [...parameters]),
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('using intent_final on intent');
    expect(plan).not.toContain('Seq Scan on intent ');
    expect(plan).toMatch(/Limit .*actual .*rows=1000/);
  });

  const onPostgres = name === 'PostgreSQL' ? it : it.skip;
  // PGlite takes two minutes for the rows.
  onPostgres(
    'behavior: of 1,000,000 intents in ledger and archive, a page of a wallet is found by index',
    async () => {
      const { db } = database;
      const now = Math.floor(Date.now() / 1_000);
      await sql`delete from intent`.execute(db);
      const expiries = Array.from({ length: 26 }, (_, half) => now - half * 15 * 86_400);
      await db
        .transaction()
        .execute((transaction) => createPartitions(transaction, 'intent_archive', expiries));
      const columns = sql`(intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation, created_at, updated_at)`;
      // The oldest in the archive, one wallet in a thousand.
      for (const [table, from, to] of [
        ['intent', 0, 100_000],
        ['intent_archive', 100_000, 1_000_000],
      ] as const)
        await sql`insert into ${sql.table(table)} ${columns}
        select '0x' || lpad(to_hex(n), 64, '0'), 1, '0x' || lpad(to_hex(n % 1000), 40, '0'),
          case when n % 7 = 0 then 'failed' else 'confirmed' end, n, n, ${now}::bigint - n * 30, '{}',
          to_timestamp(${now}::bigint - n * 30), now() from generate_series(${from}::int, ${to}::int - 1) as n`.execute(
          db,
        );
      await sql`analyze intent`.execute(db);
      await sql`analyze intent_archive`.execute(db);
      const wallet = '0x0000000000000000000000000000000000000005';
      const seen: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await listOfWallet(db, { wallet, limit: 50, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.rows.map(({ intent_id }) => intent_id));
        cursor = page.nextCursor;
      }
      expect([seen.length, new Set(seen).size]).toEqual([1_000, 1_000]);

      const statements: CompiledQuery[] = [];
      const middle = (await listOfWallet(db, { wallet, limit: 50 })).nextCursor!;
      await listOfWallet(db.withPlugin(capturing(db, statements)), {
        wallet,
        limit: 50,
        cursor: middle,
        state: 'failed',
      });
      const { sql: text, parameters } = statements[0]!;
      const { rows } = await db.executeQuery<Record<'QUERY PLAN', string>>(
        CompiledQuery.raw(`explain (analyze) ${text}`, [...parameters]),
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      // A month without rows is scanned.
      expect(plan).not.toMatch(/Seq Scan.*actual.*rows=[1-9]/);
    },
  );
});
