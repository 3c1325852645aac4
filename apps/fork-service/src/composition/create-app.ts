import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Deployment } from '@yield-vault/chains';
import { createAnvilLauncher, createForkManager, forkChains } from '@yield-vault/forks';
import type { Logger } from 'pino';
import { createServer } from '../server/create-server.js';
import type { ServiceSettings } from '../settings.js';

/** Build the service for the chains of a deployment: forks are Anvil processes of this one. It does not listen yet. */
export async function createApp(
  settings: ServiceSettings,
  deployment: Deployment,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const chains = forkChains(deployment);
  const { maxForks, maxAgeSeconds, idleSeconds } = deployment.forks;
  const { stateDirectory } = settings;
  const provider = createForkManager({
    launcher: createAnvilLauncher({ logger }),
    chains,
    options: {
      maxForks,
      maxAgeSeconds,
      idleSeconds,
      ...(stateDirectory !== undefined && { stateDirectory }),
    },
    logger,
  });
  return createServer(
    settings,
    provider,
    chains.map(({ key }) => key),
    logger,
  );
}
