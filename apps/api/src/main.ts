import { deploymentSecrets, describeStartFailure, loadConfig } from '@yield-vault/deployment';
import { createLogger, serveMetrics, shutDownOnSignal } from '@yield-vault/server';
import { createApp } from './create-app.js';
import { Parts } from './parts.js';

let port = 'PORT';
try {
  const { deployment, registry, logLevel } = loadConfig(process.env);
  const { server, environment } = deployment;
  const logger = createLogger({ level: logLevel, secrets: deploymentSecrets(deployment) });
  const app = await createApp(deployment, { registry, logger });
  shutDownOnSignal(app, logger);
  try {
    await app.listen(server.port, server.host);
    // Locally the API serves them on its own port.
    if (environment !== 'local') {
      const { metrics } = app.get(Parts);
      port = 'METRICS_PORT';
      // It ends with the process, so that the last metrics can be read while the server stops.
      await serveMetrics(metrics.registry, { host: server.host, port: server.metricsPort });
    }
  } catch (error) {
    await app.close();
    throw error;
  }
  const metricsPort = environment === 'local' ? undefined : server.metricsPort;
  logger.info({ url: await app.getUrl(), environment, metricsPort }, 'listening');
} catch (error) {
  const reason = describeStartFailure(error, { host: 'HOST', port });
  process.stderr.write(`${reason ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
