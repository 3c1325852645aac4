import type { DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';

/** The intents in one open state. */
export interface IntentCount {
  readonly state: string;
  readonly count: number;
  /** Seconds since the oldest of them was first executed. */
  readonly oldestSeconds: number;
  /** How many of them expired over a minute ago: the chain does not decide them. */
  readonly overdue: number;
}

/** Count the open intents by state. Reads a small index. */
export async function countIntents({ db }: Pick<DatabaseHandle, 'db'>): Promise<readonly IntentCount[]> {
  const { rows } = await sql<{ state: string; count: bigint; oldest: number; overdue: bigint }>`
    select state, count(*) as count, extract(epoch from now() - min(created_at))::float8 as oldest,
      count(*) filter (where expiry < extract(epoch from now()) - 60) as overdue
    from intent
    where state in ('reserved', 'simulated', 'submitted', 'included')
    group by state`.execute(db);
  return rows.map(({ state, count, oldest, overdue }) => ({
    state,
    count: Number(count),
    oldestSeconds: oldest,
    overdue: Number(overdue),
  }));
}
