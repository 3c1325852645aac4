import { ensureSnapshotPartitions } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { CompiledQuery, type KyselyPlugin, sql } from 'kysely';
import { daySeconds } from '../metrics/statistics.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(120_000);

const at = (time: string): number => Date.parse(time) / 1_000;
const now = at('2026-11-21T12:00:00Z');

describe.each(databaseBackends())('query plans ($name)', ({ open }) => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await open();
    const { db } = database;
    const months = ['2026-06', '2026-07', '2026-08', '2026-09', '2026-10', '2026-11'];
    await ensureSnapshotPartitions(
      db,
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

  it('default: history looks into the months it covers, by index', async () => {
    const week = await planOf((db) => createDatabaseSnapshotStore({ db }).read([150], now - 7 * daySeconds));
    expectIndexed(week, ['2026_11']);
    const quarter = await planOf((db) =>
      createDatabaseSnapshotStore({ db }).read([150], now - 90 * daySeconds),
    );
    expectIndexed(quarter, ['2026_08', '2026_09', '2026_10', '2026_11']);
  });

  it('default: metrics look into the months they cover, by index', async () => {
    const vaults = Array.from({ length: 20 }, (_, index) => 150 + index);
    const plan = await planOf(async (db) => {
      const store = createDatabaseSnapshotStore({ db });
      for await (const { columns } of store.readSeries(vaults, now - 92 * daySeconds, () => 6))
        expect(columns.t).toHaveLength(276);
    });
    expectIndexed(plan, ['2026_08', '2026_09', '2026_10', '2026_11']);
  });
});
