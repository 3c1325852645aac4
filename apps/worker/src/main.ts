import { deploymentSecrets, describeStartFailure, loadConfig } from '@yield-vault/deployment';
import {
  createLogger,
  endWithin,
  measureDatabase,
  measureUpstreams,
  serveMetrics,
  shutDownOnSignal,
} from '@yield-vault/server';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { metricPrefix } from './metric-prefix.js';
import { openDeploymentDatabase } from './open-features.js';
import { startWorker } from './start-worker.js';

// Orchestrators kill after 30 s.
const stopDeadlineMs = 20_000;
const closeDeadlineMs = 3_000;

try {
  const { deployment, registry, logLevel } = loadConfig(process.env);
  const { environment, server } = deployment;
  const logger = createLogger({ level: logLevel, secrets: deploymentSecrets(deployment) });
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, prefix: metricPrefix });
  const database = await openDeploymentDatabase(deployment, logger);
  measureDatabase(database, metrics, metricPrefix);
  const observer = measureUpstreams(metrics, metricPrefix);
  const worker = startWorker(deployment, { registry, database, logger, metrics, observer });
  const close = async () => {
    await endWithin(stopDeadlineMs, worker.stop(), logger, 'the worker did not end in time');
    await endWithin(closeDeadlineMs, database.close(), logger, 'the database did not close in time');
  };
  shutDownOnSignal({ close }, logger);
  try {
    // It ends with the process, so that the last metrics can be read while the worker stops.
    const { port } = await serveMetrics(metrics, { host: server.host, port: server.metricsPort }, () =>
      worker.health(),
    );
    logger.info({ environment, port }, 'started');
  } catch (error) {
    await close();
    throw error;
  }
} catch (error) {
  const reason = describeStartFailure(error, { host: 'HOST', port: 'METRICS_PORT' });
  process.stderr.write(`${reason ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
