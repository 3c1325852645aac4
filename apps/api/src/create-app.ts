import 'reflect-metadata';
import type { DynamicModule, NestApplicationOptions, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { deploymentSecrets, type Deployment } from '@yield-vault/deployment';
import {
  createHttpAdapter,
  createHttpMetrics,
  createLogger,
  measureUpstreams,
  nestLogger,
} from '@yield-vault/server';
import type { RegistryEntry } from '@yield-vault/vault-discovery';
import { metricPrefix, openDeploymentDatabase } from '@yield-vault/worker';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { Parts } from './parts.js';
import { defaultTimings } from './infrastructure/lifecycle.js';
import { createDocument } from './openapi/create-document.js';
import { ServedDocument } from './openapi/served-document.js';
import { rememberCalls, type LastCalls } from './modules/health/watch-chains.js';
import { servePages } from './page/serve-pages.js';

// The largest document of the interface has about 60.
const jsonValueLimit = 2_000;

export interface AppOptions {
  /** Vaults to watch; none when left out. */
  readonly registry?: readonly RegistryEntry[];
  readonly logger?: Logger;
  /** Further routes, for example of a benchmark. */
  readonly controllers?: readonly Type[];
}

/**
 * Build the server of a deployment and start its background work. The server does not listen yet.
 *
 * @throws {DatabaseLockedError} when another process uses the database directory
 * @example
 * const app = await createApp(deployment, { registry });
 * await app.listen(deployment.server.port, deployment.server.host);
 */
export async function createApp(
  deployment: Deployment,
  { registry = [], logger: given, controllers }: AppOptions = {},
): Promise<NestFastifyApplication> {
  const logger = given ?? createLogger({ level: 'info', secrets: deploymentSecrets(deployment) });
  const database = await openDeploymentDatabase(deployment, logger);
  try {
    const { module, adapter, options } = describeApp(
      { settings: deployment, registry, logger, database },
      controllers,
    );
    return await startApp(await NestFactory.create<NestFastifyApplication>(module, adapter, options));
  } catch (error) {
    await database.close();
    throw error;
  }
}

type Given = Pick<Parts, 'settings' | 'registry' | 'logger' | 'database'> &
  Partial<Pick<Parts, 'timings' | 'health'>>;

/** Arguments from which Nest creates the server. */
export function describeApp(
  given: Given,
  controllers?: readonly Type[],
): {
  readonly module: DynamicModule;
  readonly adapter: FastifyAdapter;
  readonly options: NestApplicationOptions;
} {
  const { settings, logger } = given;
  const metrics = createHttpMetrics(metricPrefix);
  const lastCalls: LastCalls = new Map();
  const parts: Parts = {
    timings: defaultTimings,
    health: {},
    ...given,
    metrics,
    observer: rememberCalls(lastCalls, measureUpstreams(metrics.registry, metricPrefix)),
    lastCalls,
    newestBlocks: new Map(),
  };
  return {
    module: AppModule.with(parts, controllers),
    adapter: createHttpAdapter({ ...settings.server, jsonValueLimit, logger, observe: metrics.observe }),
    options: { logger: nestLogger(logger), bodyParser: false, abortOnError: false },
  };
}

/** Start everything that runs in the background. A failure closes the app. */
export async function startApp(app: NestFastifyApplication): Promise<NestFastifyApplication> {
  try {
    const { settings } = app.get(Parts);
    const document = createDocument(app, settings);
    app.get(ServedDocument).serve(document);
    await app.init();
    await servePages(app, document, settings);
    await app.getHttpAdapter().getInstance().ready();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
