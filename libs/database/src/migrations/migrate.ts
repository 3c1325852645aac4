import { Migrator, type Kysely, type Migration } from 'kysely';
import { asDatabaseError } from '../as-database-error.js';
import { DatabaseMigrationError } from '../errors.js';
import * as initial from './0001-initial.js';
import * as chainEvents from './0002-chain-events.js';
import * as intentArchive from './0003-intent-archive.js';
import * as depositLimit from './0004-deposit-limit.js';
import * as paymasterFault from './0005-paymaster-fault.js';
import * as vaultExit from './0006-vault-exit.js';
import * as vaultGovernance from './0007-vault-governance.js';
import * as shareMovementOfVault from './0008-share-movement-of-vault.js';

/** Every migration by name; they run in the order of the names. A published one is never edited. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-chain-events': chainEvents,
  '0003-intent-archive': intentArchive,
  '0004-deposit-limit': depositLimit,
  '0005-paymaster-fault': paymasterFault,
  '0006-vault-exit': vaultExit,
  '0007-vault-governance': vaultGovernance,
  '0008-share-movement-of-vault': shareMovementOfVault,
};

/**
 * Bring a database to the newest migration. Processes that start together are safe: an advisory lock is held
 * around it on PostgreSQL, and a PGlite directory has one process.
 *
 * @throws {DatabaseMigrationError} when a migration fails or the database is newer than the code
 * @throws {UpstreamUnavailableError} when the database does not respond
 */
export async function migrate<T>(
  db: Kysely<T>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  throw asDatabaseError(error) ?? new DatabaseMigrationError(failed, { cause: error });
}
