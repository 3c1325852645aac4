import { deploymentSecrets, describeStartFailure, loadConfig } from '@yield-vault/deployment';
import { createLogger, shutDownOnSignal } from '@yield-vault/server';
import { openSampler } from './open-sampler.js';

try {
  const { deployment, registry, logLevel } = loadConfig(process.env);
  const logger = createLogger({ level: logLevel, secrets: deploymentSecrets(deployment) });
  const sampler = await openSampler(deployment, registry, logger);
  shutDownOnSignal(sampler, logger);
  logger.info({ environment: deployment.environment }, 'started');
} catch (error) {
  const reason = describeStartFailure(error);
  process.stderr.write(`${reason ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
