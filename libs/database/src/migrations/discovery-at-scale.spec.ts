import { sql } from 'kysely';
import { oldBackends, type OldDatabase } from '../../test/support/old-databases.js';

describe.each(oldBackends)('0004-discovery-at-scale ($name)', ({ open }) => {
  let db: OldDatabase['db'];
  let migrateTo: OldDatabase['migrateTo'];
  let close: OldDatabase['close'];

  beforeEach(async () => {
    ({ db, migrateTo, close } = await open());
  });
  afterEach(() => close());

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
