import { openTestDatabase } from '@yield-vault/database/testing';
import { sql } from 'kysely';
import { countIntents } from './count-intents.js';

describe('countIntents', () => {
  it('default: open intents of any age, and no final ones', async () => {
    const database = await openTestDatabase();
    const rows = [
      ['reserved', 100_000],
      ['submitted', 60],
      ['submitted', 600, 30],
      ['confirmed', 60],
      ['confirmed', 100_000],
      ['expired', 100_000],
    ] as const;
    for (const [index, [state, seconds, expiredFor = 90]] of rows.entries())
      await sql`
        insert into intent (intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation,
          created_at, updated_at)
        values (${`0x${index.toString(16).padStart(64, '0')}`}, 1, '0x', ${state}, '0x', 0,
          extract(epoch from now()) - ${expiredFor}::int, '{}',
          now() - ${seconds} * interval '1 second', now() - ${seconds} * interval '1 second')`.execute(
        database.db,
      );
    const counts = [...(await countIntents(database))].sort((a, b) => (a.state < b.state ? -1 : 1));
    expect(
      counts.map(({ state, count, oldestSeconds, overdue }) => [
        state,
        count,
        Math.floor(oldestSeconds / 10),
        overdue,
      ]),
    ).toEqual([
      ['reserved', 1, 10_000, 1],
      ['submitted', 2, 60, 1],
    ]);
    await database.close();
  });
});
