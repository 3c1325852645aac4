import type { DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';
import { extraProbeDecimals, type SeriesColumns, type VaultSeries } from '../ports.js';
import { inChunks } from './in-chunks.js';
import { storedMeasurements } from './stored-measurements.js';

/** 92 days of one vault are 2 208 rows: a part is decoded within a few milliseconds. */
const vaultsAtOnce = 10;
const fields = 5;
const rowBytes = fields * Float64Array.BYTES_PER_ELEMENT;

/** Read the series of many vaults, a few at a time. */
export async function* readSeries(
  { db }: Pick<DatabaseHandle, 'db'>,
  vaults: readonly number[],
  since: number,
  decimalsOf: (vault: number) => number,
): AsyncGenerator<VaultSeries> {
  for await (const part of inChunks(vaults, vaultsAtOnce)) {
    // One packed value for each vault: ten thousand vaults are twenty million rows, and the driver would make
    // an object with seven strings of each.
    const { rows } = await sql<{ vault_id: number; packed: Uint8Array }>`
      select vault_id, string_agg(
        float8send(extract(epoch from t)::float8) || float8send(share_price::float8)
          || float8send(total_assets::float8) || float8send(price_usd) || float8send(origin::float8),
        ''::bytea order by hour) as packed
      from ${storedMeasurements(part, since)}
      group by vault_id order by vault_id`.execute(db);
    for (const { vault_id: vault, packed } of rows)
      yield { vault, columns: unpack(packed, decimalsOf(vault)) };
  }
}

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
