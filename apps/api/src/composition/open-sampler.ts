import { createActiveChains, type Deployment } from '@yield-vault/chains';
import { createStandaloneSampler, type RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import { openDeploymentDatabase } from './open-deployment-database.js';

export interface RunningSampler {
  /** Whether it is this process that samples. */
  isLeader(): boolean;
  /** End sampling and close the database. */
  close(): Promise<void>;
}

/**
 * Start to sample the chains of a deployment, for the servers that share its database. Of several samplers one works.
 *
 * @throws {DatabaseLockedError} when another process uses the database directory
 */
export async function openSampler(
  deployment: Deployment,
  registry: readonly RegistryEntry[],
  logger: Logger,
): Promise<RunningSampler> {
  const database = await openDeploymentDatabase(deployment, logger);
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
