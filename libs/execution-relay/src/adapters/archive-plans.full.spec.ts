import type { DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { CompiledQuery, sql, type KyselyPlugin } from 'kysely';
import { archiveIntents } from './archive-intents.js';

jest.setTimeout(120_000);

describe.each(databaseBackends())('archiveIntents ($name)', ({ open }) => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  it('behavior: of 100,000 intents, a batch is found by index', async () => {
    const statements: CompiledQuery[] = [];
    const capture: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        statements.push(database.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    await archiveIntents({ db: database.db.withPlugin(capture) }, { days: 400 });
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
});
