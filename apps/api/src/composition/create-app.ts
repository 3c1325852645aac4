import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Deployment } from '@yield-vault/chains';
import { createLogger } from '@yield-vault/server';
import type { RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import { deploymentSecrets } from '../config/deployment-secrets.js';
import type { Features } from '../ports.js';
import { createServer } from '../server/create-server.js';
import { createFeatures } from './create-features.js';

export interface AppOverrides {
  /** Parts to use instead of the deployment's own. */
  readonly features?: Partial<Features>;
  /** Vaults to watch; none when left out. */
  readonly registry?: readonly RegistryEntry[];
  readonly logger?: Logger;
  /** Routes to serve beside the deployment's own, as those of a benchmark. */
  readonly controllers?: readonly Type[];
}

/**
 * Build the whole server of a deployment. Everything that runs in the background has started; it does not
 * listen yet.
 *
 * @example
 * const app = await createApp(deployment, { registry });
 * await app.listen(deployment.server.port, deployment.server.host);
 */
export async function createApp(
  deployment: Deployment,
  { features: replaced = {}, registry = [], logger: given, controllers }: AppOverrides = {},
): Promise<NestFastifyApplication> {
  const logger = given ?? createLogger({ level: 'info', secrets: deploymentSecrets(deployment) });
  const features = { ...(await createFeatures(deployment, registry, logger)), ...replaced };
  return createServer(deployment, features, { logger, controllers });
}
