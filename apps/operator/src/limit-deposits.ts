import { openDatabase, type DatabaseHandle, type DepositLimitTable } from '@yield-vault/database';
import { InvalidArgumentError } from 'commander';
import { sql } from 'kysely';
import { columns, CommandFailure, type CliIo } from './io.js';

export interface LimitOptions {
  /** URL of the PostgreSQL database. */
  readonly database: string;
}

export interface PauseOptions extends LimitOptions {
  readonly chain?: string;
  readonly vault?: string;
  readonly reason?: string;
}

/** USD by scope; `none` removes the cap. */
export type CapOptions = LimitOptions & Partial<Record<'wallet' | 'vault' | 'total', number | 'none'>>;

export function parseCap(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(text)) throw new InvalidArgumentError('Write USD, e.g. 5000, or none.');
  return Number(text);
}

/** Pause or resume all deposits, those of a chain, or those of a vault. The servers follow within 5 s. */
export function pauseDeposits(isPaused: boolean, options: PauseOptions, io: CliIo): Promise<void> {
  return changeLimits(options, io, async (db) => {
    const scope = await scopeOf(db, options);
    await set(db, 'pause', scope, isPaused ? 0 : 'none', options.reason);
  });
}

/** Set or remove caps of deposits. */
export function capDeposits({ database, ...caps }: CapOptions, io: CliIo): Promise<void> {
  return changeLimits({ database }, io, async (db) => {
    for (const [scope, usd] of Object.entries(caps)) await set(db, 'cap', scope, usd);
  });
}

/** A scope that the deployment does not know would stop nothing. */
async function scopeOf(db: DatabaseHandle['db'], { chain, vault }: PauseOptions): Promise<string> {
  if (chain === undefined && vault === undefined) return 'deposits';
  const isKnown =
    chain === undefined ? sql`vault.vault_id::text = ${vault}` : sql`summary ->> 'chain' = ${chain}`;
  const { rows } = await sql`
    select from vault left join vault_report on vault_report.vault_id = vault.id
    where ${isKnown} limit 1`.execute(db);
  const scope = chain === undefined ? `vault:${vault}` : `chain:${chain}`;
  if (rows.length === 0) throw new CommandFailure(`nothing was changed: the database has no ${scope}`);
  return scope;
}

async function set(
  db: DatabaseHandle['db'],
  kind: DepositLimitTable['kind'],
  scope: string,
  limit: number | 'none',
  reason = '',
): Promise<void> {
  await db.deleteFrom('deposit_limit').where('kind', '=', kind).where('scope', '=', scope).execute();
  if (limit === 'none') return;
  await db.insertInto('deposit_limit').values({ kind, scope, limit_usd: limit, reason }).execute();
}

/** Change the limits in one transaction, and print those that hold then. */
export async function changeLimits(
  { database: url }: LimitOptions,
  io: CliIo,
  run: (db: DatabaseHandle['db']) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const database = await openDatabase({ url });
  try {
    await database.db.transaction().execute(run);
    const limits = await database.db
      .selectFrom('deposit_limit')
      .selectAll()
      .orderBy(['kind', 'scope'])
      .execute();
    const rows = limits.map(({ kind, scope, limit_usd, reason, created_at }) => [
      kind,
      scope,
      kind === 'cap' ? String(limit_usd) : '',
      created_at.toISOString(),
      reason,
    ]);
    if (rows.length > 0) io.out(columns([['KIND', 'SCOPE', 'USD', 'SINCE', 'REASON'], ...rows]));
    else io.note('deposits are not limited');
  } finally {
    await database.close();
  }
}
