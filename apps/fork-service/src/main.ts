import { createLogger, describeStartFailure, secretsOf, shutDownOnSignal } from '@yield-vault/server';
import { createApp } from './composition/create-app.js';
import { loadConfig } from './config/load-config.js';

/** How long requests under way may take once the process is told to stop. */
const answerDeadlineMs = 2_000;

try {
  const { settings, deployment, logLevel } = loadConfig();
  const urls = Object.values(deployment.chains).flatMap(({ rpcUrls, bundlerUrl }) => [
    ...rpcUrls,
    bundlerUrl,
  ]);
  const secrets = [settings.credential, ...secretsOf(urls)];
  const logger = createLogger({ level: logLevel, secrets });
  const app = await createApp(settings, deployment, logger);
  shutDownOnSignal(app, logger, answerDeadlineMs);
  try {
    // Not through NestJS, which would log a port that is taken as an error with its stack.
    const { host, port } = settings;
    const url = await app.getHttpAdapter().getInstance().listen({ host, port });
    logger.info({ url, chains: Object.keys(deployment.chains) }, 'listening');
  } catch (error) {
    await app.close();
    throw error;
  }
} catch (error) {
  const reason = describeStartFailure(error, { host: 'FORK_SERVICE_HOST', port: 'FORK_SERVICE_PORT' });
  process.stderr.write(`${reason ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
