import { createActiveChains } from '@yield-vault/chains';
import { openDatabase } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import { createStandaloneSampler, type RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';

export interface RunningSampler {
  /** Whether this process samples: of several samplers, one does. */
  isLeader(): boolean;
  /** Stop sampling and close the database. */
  close(): Promise<void>;
}

/**
 * Start to sample the chains of a deployment for the servers that share its database.
 *
 * @throws {DatabaseLockedError} when another process uses the database directory
 */
export async function openSampler(
  deployment: Deployment,
  registry: readonly RegistryEntry[],
  logger: Logger,
): Promise<RunningSampler> {
  const onMigrationWait = () => logger.warn('waiting for another process to migrate the database');
  const database = await openDatabase({ ...deployment.database, onMigrationWait });
  const chains = createActiveChains(deployment);
  const sampler = createStandaloneSampler({
    ...{ chains, database, registry, logger },
    options: deployment.discovery,
  });
  sampler.start();
  return {
    isLeader: () => sampler.isLeader(),
    close: () => sampler.stop().finally(() => database.close()),
  };
}
