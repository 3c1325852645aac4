import { ensurePartitions, openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { CompiledQuery, type KyselyPlugin, sql } from 'kysely';
import { daySeconds } from '@yield-vault/vault-metrics';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(120_000);

const at = (time: string): number => Date.parse(time) / 1_000;
const now = at('2026-11-21T12:00:00Z');

describe('query plans', () => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
    const { db } = database;
    const months = ['2026-06', '2026-07', '2026-08', '2026-09', '2026-10', '2026-11'];
    await ensurePartitions(
      db,
      'vault_snapshot',
      months.map((month) => at(`${month}-01T00:00:00Z`)),
    );
    await sql`
      insert into vault (vault_id, chain_id, address)
      select n, 1, '0x' || n from generate_series(1, 300) as n`.execute(db);
    await sql`
      insert into vault_snapshot
      select n, hour, hour, 1, 1, 1, 1, 1, 0, 0
      from generate_series('2026-06-01T00:00Z'::timestamptz, '2026-11-21T12:00Z', '8 hours') as hour,
        generate_series(1, 300) as n`.execute(db);
    await sql`
      insert into vault_snapshot_daily
      select n, day, day, 1, 1, 1, 1, 1, 0, 0
      from generate_series('2026-01-01T00:00Z'::timestamptz, '2026-05-31T00:00Z', '1 day') as day,
        generate_series(1, 300) as n`.execute(db);
    await sql`analyze`.execute(db);
  });
  afterAll(() => database.close());

  /** The plan of the last statement that some work runs. */
  const planOf = async (work: (db: DatabaseHandle['db']) => Promise<unknown>): Promise<string> => {
    const statements: CompiledQuery[] = [];
    const capture: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        statements.push(database.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    await work(database.db.withPlugin(capture));
    const { sql: text, parameters } = statements.at(-1)!;
    const { rows } = await database.db.executeQuery<Record<'QUERY PLAN', string>>(
      CompiledQuery.raw(`explain ${text}`, [...parameters]),
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  const expectIndexed = (plan: string, months: readonly string[]) => {
    expect(plan).not.toContain('Seq Scan');
    const scanned = [...plan.matchAll(/ on (vault_snapshot_\d{4}_\d{2}) /g)].map((match) => match[1]);
    expect([...new Set(scanned)].sort()).toEqual(months.map((month) => `vault_snapshot_${month}`));
    for (const month of months) expect(plan).toContain(`vault_snapshot_${month}_pkey`);
    expect(plan).toContain('vault_snapshot_daily_pkey');
  };

  it.each([
    [7, ['2026_11']],
    [92, ['2026_08', '2026_09', '2026_10', '2026_11']],
  ])('default: %s days are read from the months that they cover, by index', async (days, months) => {
    const vaults = Array.from({ length: 20 }, (_, index) => 150 + index);
    const plan = await planOf(async (db) => {
      const store = createDatabaseSnapshotStore({ db });
      for await (const { columns } of store.readSeries(vaults, now - days * daySeconds, () => 6))
        expect(columns.t).toHaveLength(3 * days);
    });
    expectIndexed(plan, months);
  });
});
