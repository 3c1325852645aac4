import type { Deployment } from '@yield-vault/chains';
import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import type { Logger } from 'pino';

/** Open the database of a deployment, and log when that waits for another process. */
export function openDeploymentDatabase(
  { database }: Pick<Deployment, 'database'>,
  logger: Logger,
): Promise<DatabaseHandle> {
  const onMigrationWait = () => logger.warn('waiting for another process to migrate the database');
  return openDatabase({ ...database, onMigrationWait });
}
