import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ForkProvider } from '@yield-vault/forks';
import { createForkRpcHandler, forkRpcBodyLimit } from '@yield-vault/forks/server';
import { createHttpAdapter, nestLogger, serveDocument } from '@yield-vault/server';
import type { Logger } from 'pino';
import { createForkRegistry } from '../forks/create-fork-registry.js';
import { createMetrics, measureForks } from '../metrics/create-metrics.js';
import { createDocument } from '../openapi/create-document.js';
import { createRpcRoute } from '../modules/rpc/create-rpc-route.js';
import type { ServiceSettings } from '../config/load-config.js';
import { ForkServiceModule } from './fork-service.module.js';

/**
 * Build the server around a provider of forks. It does not listen yet. Closing it closes the provider.
 *
 * @param chains Keys of the chains that can be forked.
 */
export async function createServer(
  settings: Pick<ServiceSettings, 'credential' | 'takesPayments' | 'requestTimeoutSeconds'>,
  provider: ForkProvider,
  chains: readonly string[],
  logger: Logger,
): Promise<NestFastifyApplication> {
  const { credential, takesPayments, requestTimeoutSeconds } = settings;
  const metrics = createMetrics(() => provider.list());
  const forks = measureForks(provider, metrics);
  const adapter = createHttpAdapter({
    bodyLimitBytes: forkRpcBodyLimit,
    requestTimeoutSeconds,
    trustProxy: 0,
    logger,
    observe: metrics.http.observe,
  });
  adapter.getInstance().addHook('onClose', () => provider.close());
  const injected = {
    registry: createForkRegistry(forks, chains, takesPayments),
    rpc: createRpcRoute(createForkRpcHandler(forks), chains, metrics),
    health: provider,
    metrics: metrics.http,
    credential,
  };
  const app = await NestFactory.create<NestFastifyApplication>(ForkServiceModule.with(injected), adapter, {
    logger: nestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  serveDocument(app, createDocument(app), 'docs-json');
  await app.init();
  await adapter.getInstance().ready();
  return app;
}
