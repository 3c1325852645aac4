import { sql, type RawBuilder } from 'kysely';
import { daySeconds, hourSeconds } from '../metrics/statistics.js';
import { anyOf, toDate } from './sql-values.js';

/**
 * Measurements of vaults since a time as a subquery named `snapshot`, at most one an hour: the hours, and the
 * last of each day where the hours were dropped. Both are asked for by time, since the time decides which
 * partitions are looked into.
 *
 * @param since Unix seconds
 */
export const storedMeasurements = (vaults: readonly number[], since: number): RawBuilder<never> => sql`(
  select distinct on (vault_id, hour) * from (
    select vault_id, hour, ${measurement} from vault_snapshot
    where vault_id = ${anyOf(vaults)} and hour >= ${startOf(since, hourSeconds)}
    union all
    select vault_id, date_trunc('hour', t, 'UTC') as hour, ${measurement} from vault_snapshot_daily
    where vault_id = ${anyOf(vaults)} and day >= ${startOf(since, daySeconds)}
  ) as measured
  where t >= ${toDate(since)}
  order by vault_id, hour, origin, t desc
) as snapshot`;

const measurement = sql.raw('t, block, share_price, total_assets, total_supply, price_usd, source, origin');

const startOf = (t: number, size: number): Date => toDate(t - (t % size));
