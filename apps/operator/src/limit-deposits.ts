import { openDatabase } from '@yield-vault/database';
import { InvalidArgumentError } from 'commander';
import { sql } from 'kysely';
import { columns, CommandFailure, type CliIo } from './io.js';

/** A pause has 0 USD. `none` removes it. */
export interface LimitChange {
  readonly kind: 'pause' | 'cap';
  readonly scope: string;
  readonly usd: number | 'none';
  readonly reason?: string | undefined;
}

export function parseCap(text: string): LimitChange['usd'] {
  if (text === 'none') return text;
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(text)) throw new InvalidArgumentError('Write USD, e.g. 5000, or none.');
  return Number(text);
}

/** Change the limits of deposits, and print those that hold then. Servers follow within 5 s. */
export async function limitDeposits(url: string, changes: readonly LimitChange[], io: CliIo): Promise<void> {
  const database = await openDatabase({ url });
  try {
    // At once, so that no server sees a pause or a cap missing while it is replaced.
    await database.db.transaction().execute(async (db) => {
      for (const { kind, scope, usd, reason = '' } of changes) {
        // A scope that the deployment does not know would stop nothing.
        const known = await sql`
          select where ${scope}::text in ('deposits', 'wallet', 'vault', 'total')
            or exists (select from vault where 'vault:' || vault_id = ${scope})
            or exists (select from vault_report where 'chain:' || (summary ->> 'chain') = ${scope})`.execute(
          db,
        );
        if (known.rows.length === 0) throw new CommandFailure(`the database has no ${scope}`);
        await db.deleteFrom('deposit_limit').where('kind', '=', kind).where('scope', '=', scope).execute();
        if (usd !== 'none')
          await db.insertInto('deposit_limit').values({ kind, scope, limit_usd: usd, reason }).execute();
      }
    });
    const { rows } = await sql<Record<string, string>>`
      select kind, scope, case kind when 'cap' then limit_usd::text else '' end as usd, created_at::text, reason
      from deposit_limit order by kind, scope`.execute(database.db);
    if (rows.length === 0) io.note('deposits are not limited');
    else
      io.out(
        columns([['KIND', 'SCOPE', 'USD', 'SINCE', 'REASON'], ...rows.map((row) => Object.values(row))]),
      );
  } finally {
    await database.close();
  }
}
