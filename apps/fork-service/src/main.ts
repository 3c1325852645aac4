import { describeStartFailure, secretsOf } from '@yield-vault/deployment';
import { forkChains } from '@yield-vault/forks';
import { createForkManager } from '@yield-vault/forks/server';
import { createLogger, shutDownOnSignal } from '@yield-vault/server';
import { loadConfig } from './config/load-config.js';
import { createServer } from './server/create-server.js';

/** Longest time for pending requests when the process stops. */
const responseDeadlineMs = 2_000;

try {
  const { settings, deployment, logLevel } = loadConfig();
  const urls = Object.values(deployment.chains).flatMap(({ rpcUrls, bundlerUrls }) => [
    ...rpcUrls,
    ...bundlerUrls,
  ]);
  const secrets = [settings.credential, ...secretsOf(urls)];
  const logger = createLogger({ level: logLevel, secrets });
  const chains = forkChains(deployment);
  const { maxForks, idleSeconds } = deployment.forks;
  const { stateDirectory } = settings;
  const provider = createForkManager({
    chains,
    options: { maxForks, idleSeconds, stateDirectory },
    logger,
  });
  const keys = chains.map(({ key }) => key);
  const app = await createServer(settings, provider, keys, logger);
  shutDownOnSignal(app, logger, responseDeadlineMs);
  try {
    // Not through NestJS, which logs a port in use as an error with its stack.
    const { host, port } = settings;
    const url = await app.getHttpAdapter().getInstance().listen({ host, port });
    logger.info({ url, chains: keys }, 'listening');
  } catch (error) {
    await app.close();
    throw error;
  }
} catch (error) {
  const reason = describeStartFailure(error, { host: 'FORK_SERVICE_HOST', port: 'FORK_SERVICE_PORT' });
  process.stderr.write(`${reason ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
