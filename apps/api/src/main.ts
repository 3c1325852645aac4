import { deploymentSecrets, describeStartFailure, loadConfig } from '@yield-vault/deployment';
import { createLogger, shutDownOnSignal } from '@yield-vault/server';
import { createApp } from './create-app.js';

try {
  const { deployment, registry, logLevel } = loadConfig(process.env);
  const logger = createLogger({ level: logLevel, secrets: deploymentSecrets(deployment) });
  const app = await createApp(deployment, { registry, logger });
  shutDownOnSignal(app, logger);
  try {
    await app.listen(deployment.server.port, deployment.server.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  logger.info({ url: await app.getUrl(), environment: deployment.environment }, 'listening');
} catch (error) {
  const reason = describeStartFailure(error);
  process.stderr.write(`${reason ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
