import { createLogger, shutDownOnSignal } from '@yield-vault/server';
import { openSampler } from './composition/open-sampler.js';
import { deploymentSecrets } from './config/deployment-secrets.js';
import { loadConfig } from './config/load-config.js';
import { describeStartFailure } from './describe-start-failure.js';

try {
  const { deployment, registry, logLevel } = loadConfig();
  const logger = createLogger({ level: logLevel, secrets: deploymentSecrets(deployment) });
  const sampler = await openSampler(deployment, registry, logger);
  shutDownOnSignal(sampler, logger);
  logger.info({ environment: deployment.environment }, 'started');
} catch (error) {
  const reason = describeStartFailure(error);
  process.stderr.write(`${reason ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
