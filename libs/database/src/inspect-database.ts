import { advisoryKey } from './advisory-key.js';
import { openPostgresSession } from './adapters/open-postgres-session.js';
import { requireSessions } from './adapters/require-sessions.js';
import { migrations } from './migrations/migrate.js';

/** What a PostgreSQL server offers a deployment. */
export interface DatabaseInspection {
  /** E.g. `16.4`. */
  readonly version: string;
  /** Why the service cannot run on it, in words. */
  readonly faults: readonly string[];
  /** What can lose data, and that no process is the worker, in words. */
  readonly doubts: readonly string[];
  /** Migrations that the next start runs. */
  readonly pending: readonly string[];
  /** Pauses and caps of deposits, if any, e.g. `cap total 5000, pause chain:base`. */
  readonly limits?: string;
}

const inspection = `select current_setting('server_version') as version,
  array_remove(array[
    case when current_setting('server_version_num')::int < 140000 then 'it is too old' end,
    case when pg_is_in_recovery() then 'it is a standby, which takes no writes' end,
    case when not has_schema_privilege(current_schema(), 'create') then 'the role may not create tables' end,
    (select 'the role may not write ' || min(relname) from pg_class
      where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
        and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
          and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
      having count(*) > 0)], null) as faults,
  array(select name || ' is off' from pg_settings where setting = 'off'
      and name in ('fsync', 'full_page_writes', 'synchronous_commit')
    union all select 'no worker runs' where not exists (select from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = $1::bigint)) as doubts,
  to_regclass('kysely_migration') is not null as "isMigrated"`;

const limitsHeld = `select string_agg(concat_ws(' ', kind, scope, nullif(limit_usd, 0)), ', ' order by kind, scope) as limits
  from deposit_limit having count(*) > 0`;

/**
 * Inspect a PostgreSQL server and change nothing.
 *
 * @throws {UnsupportedPoolerError} behind a pooler in transaction mode
 * @throws {UpstreamUnavailableError} when the server does not respond
 */
export async function inspectDatabase(url: string): Promise<DatabaseInspection> {
  await requireSessions(url);
  const session = await openPostgresSession(url);
  try {
    const [found] = await session.query<DatabaseInspection & { readonly isMigrated: boolean }>(inspection, [
      advisoryKey('leadership:worker'),
    ]);
    const isReadable = found!.isMigrated && found!.faults.length === 0;
    const done = isReadable ? await session.query<{ name: string }>('select name from kysely_migration') : [];
    const names = done.map(({ name }) => name);
    const hasLimits = names.includes('0004-deposit-limit');
    const [held] = hasLimits ? await session.query<{ limits: string }>(limitsHeld) : [];
    const newer = names.filter((name) => !(name in migrations));
    return {
      ...found!,
      ...held,
      faults: [...found!.faults, ...newer.map((name) => `a newer version ran the migration ${name}`)],
      pending: Object.keys(migrations).filter((name) => !names.includes(name)),
    };
  } finally {
    await session.close();
  }
}
