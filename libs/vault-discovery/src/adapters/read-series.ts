import type { DatabaseHandle } from '@yield-vault/database';
import { type RawBuilder, sql } from 'kysely';
import { inChunks } from '../batching.js';
import { daySeconds, hourSeconds, type SeriesColumns } from '@yield-vault/vault-metrics';
import { extraProbeDecimals, type VaultSeries } from '../ports.js';
import { anyOf, toDate } from './sql-values.js';

/** 92 days of one vault are 2,208 rows: a chunk is decoded within a few milliseconds. */
const vaultsPerSeriesRead = 10;
const fields = 5;
const rowBytes = fields * Float64Array.BYTES_PER_ELEMENT;

/** Read the series of many vaults, a few vaults at a time. */
export async function* readSeries(
  { db }: Pick<DatabaseHandle, 'db'>,
  vaults: readonly number[],
  since: number,
  decimalsOf: (vault: number) => number,
): AsyncGenerator<VaultSeries> {
  for await (const part of inChunks(vaults, vaultsPerSeriesRead)) {
    // One packed value for each vault: the driver would make an object with seven strings of every row.
    const { rows } = await sql<{ vault_id: number; packed: Uint8Array }>`
      select vault_id, string_agg(
        float8send(extract(epoch from t)::float8) || float8send(share_price::float8)
          || float8send(total_assets::float8) || float8send(price_usd) || float8send(origin::float8),
        ''::bytea order by hour) as packed
      from ${storedSnapshots(part, since)}
      group by vault_id order by vault_id`.execute(db);
    for (const { vault_id: vault, packed } of rows)
      yield { vault, columns: unpack(packed, decimalsOf(vault)) };
  }
}

/**
 * A subquery named `snapshot`: the hours of vaults since a time, and the last hour of each day where retention removed
 * the others.
 */
const storedSnapshots = (vaults: readonly number[], since: number): RawBuilder<never> => sql`(
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

const measurement = sql.raw('t, share_price, total_assets, price_usd, origin');

const startOf = (t: number, size: number): Date => toDate(t - (t % size));

function unpack(packed: Uint8Array, decimals: number): SeriesColumns {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const length = packed.byteLength / rowBytes;
  const read = (row: number, field: number) =>
    view.getFloat64(row * rowBytes + field * Float64Array.BYTES_PER_ELEMENT);
  const shareScale = 10 ** (decimals + extraProbeDecimals);
  const assetScale = 10 ** decimals;
  const columns = {
    t: new Float64Array(length),
    sharePrice: new Float64Array(length),
    tvlUsd: new Float64Array(length),
    origin: new Uint8Array(length),
  };
  for (let row = 0; row < length; row += 1) {
    const priceUsd = read(row, 3);
    columns.t[row] = read(row, 0);
    columns.sharePrice[row] = read(row, 1) / shareScale;
    columns.tvlUsd[row] = priceUsd > 0 ? (read(row, 2) / assetScale) * priceUsd : NaN;
    columns.origin[row] = read(row, 4);
  }
  return columns;
}
