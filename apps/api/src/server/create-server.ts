import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpAdapter, nestLogger, serveDocument } from '@yield-vault/server';
import type { Logger } from 'pino';
import { createHealthMonitor, type HealthMonitorOptions } from '../health/create-health-monitor.js';
import { createMetrics } from '../metrics/create-metrics.js';
import { createDocument } from '../openapi/create-document.js';
import type { Features } from '../ports.js';
import type { ServerSettings } from '../settings.js';
import { createLimiterStorage } from '../throttling/create-limiter-storage.js';
import { AppModule } from './app.module.js';
import { createBackground, type BackgroundOptions } from './create-background.js';

export interface ServerOptions {
  readonly logger: Logger;
  readonly health?: HealthMonitorOptions;
  readonly background?: BackgroundOptions;
  /** Routes beside those of the server. */
  readonly controllers?: readonly Type[];
}

/**
 * Build the server around its features and start what runs in the background. It does not listen yet; closing
 * it closes the features.
 */
export async function createServer(
  settings: ServerSettings,
  features: Features,
  { logger, ...options }: ServerOptions,
): Promise<NestFastifyApplication> {
  const health = createHealthMonitor(features, options.health);
  const metrics = createMetrics(() => health.read(), features);
  const storage = createLimiterStorage(settings.rateLimits, logger);
  const background = createBackground(features, health, logger, options.background);

  const adapter = createHttpAdapter({ ...settings.server, logger, observe: metrics.observe });
  const fastify = adapter.getInstance();
  fastify.addHook('preClose', (done) => {
    background.beginStop();
    done();
  });
  fastify.addHook('onClose', async () => {
    await background.stop();
    await storage.close();
  });

  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with({ ...features, settings, logger, health, metrics }, storage, options.controllers),
    adapter,
    { logger: nestLogger(logger), bodyParser: false, abortOnError: false },
  );
  serveDocument(app, createDocument(app), 'openapi.json');
  await app.init();
  await fastify.ready();
  background.start();
  return app;
}
