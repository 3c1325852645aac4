import { Kysely, Migrator, PostgresDialect, sql, type PostgresPool } from 'kysely';
import { createPglitePool } from '../adapters/pglite-pool.js';
import { createPostgresPool } from '../adapters/postgres-pool.js';
import type { Schema } from '../schema/schema.js';
import { createTemporaryPostgres, isPostgresReachable } from '../testing/index.js';
import { migrations } from './migrations.js';

interface OldBackend {
  readonly name: string;
  open(): Promise<{ pool: PostgresPool; drop: () => Promise<void> }>;
}

const backends: OldBackend[] = [
  {
    name: 'PGlite',
    open: async () => ({
      pool: await createPglitePool({ directory: undefined, assertUsable: () => undefined }),
      drop: () => Promise.resolve(),
    }),
  },
];
if (isPostgresReachable())
  backends.push({
    name: 'PostgreSQL',
    open: async () => {
      const { url, drop } = await createTemporaryPostgres();
      return { pool: createPostgresPool({ url }), drop };
    },
  });

describe.each(backends)('0004-discovery-at-scale ($name)', ({ open }) => {
  let db: Kysely<Schema>;
  let drop: () => Promise<void>;

  beforeEach(async () => {
    const opened = await open();
    db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: opened.pool }) });
    drop = opened.drop;
  });
  afterEach(async () => {
    await db.destroy();
    await drop();
  });

  const migrateTo = async (name: string) => {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
    });
    const { error } = await migrator.migrateTo(name);
    if (error) throw error as Error;
  };

  it('default: keeps what an older database holds, in the partition of its month', async () => {
    await migrateTo('0003-setup');
    await sql`insert into vault (vault_id, chain_id, address) values (1, 1, '0x1')`.execute(db);
    await sql`
      insert into vault_snapshot
      select 1, hour, hour + interval '5 minutes', 1, 10::numeric ^ 30, 7, 8, 0.5, 1
      from generate_series('2026-09-30T00:00Z'::timestamptz, '2026-11-01T23:00Z', '1 hour') as hour`.execute(
      db,
    );

    await migrateTo('0004-discovery-at-scale');
    const { rows } = await sql<{ part: string; count: bigint }>`
      select tableoid::regclass::text as part, count(*) from vault_snapshot group by 1 order by 1`.execute(
      db,
    );
    expect(rows).toEqual([
      { part: 'vault_snapshot_2026_09', count: 24n },
      { part: 'vault_snapshot_2026_10', count: 744n },
      { part: 'vault_snapshot_2026_11', count: 24n },
    ]);
    const first = await db.selectFrom('vault_snapshot').selectAll().orderBy('hour').executeTakeFirstOrThrow();
    expect(first).toMatchObject({
      t: new Date('2026-09-30T00:05:00Z'),
      share_price: (10n ** 30n).toString(),
      price_usd: 0.5,
      origin: 0,
    });
  });

  it('behavior: rows are still held to the key, the vault, the hour and the origin', async () => {
    await migrateTo('0003-setup');
    await sql`insert into vault (vault_id, chain_id, address) values (1, 1, '0x1')`.execute(db);
    await sql`insert into vault_snapshot
      values (1, '2026-10-01T00:00Z', '2026-10-01T00:00Z', 1, 1, 1, 1, 1, 1)`.execute(db);
    await migrateTo('0004-discovery-at-scale');
    const insert = (vault: number, hour: string, t: string, origin: number) =>
      sql`insert into vault_snapshot values (${vault}, ${hour}, ${t}, 1, 1, 1, 1, 1, 1, ${origin})`.execute(
        db,
      );
    await expect(insert(1, '2026-10-01T00:00Z', '2026-10-01T00:00Z', 0)).rejects.toMatchObject({
      code: '23505',
    });
    await expect(insert(2, '2026-10-01T01:00Z', '2026-10-01T01:00Z', 0)).rejects.toMatchObject({
      code: '23503',
    });
    await expect(insert(1, '2026-10-01T01:00Z', '2026-10-01T02:00Z', 0)).rejects.toMatchObject({
      constraint: 'vault_snapshot_hour',
    });
    await expect(insert(1, '2026-10-01T01:00Z', '2026-10-01T01:00Z', 2)).rejects.toMatchObject({
      constraint: 'vault_snapshot_origin',
    });
    await expect(insert(1, '2026-11-01T00:00Z', '2026-11-01T00:00Z', 0)).rejects.toMatchObject({
      code: '23514',
    });
  });
});
