import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createLogger } from '@yield-vault/server';
import { describeApp } from '../create-app.js';
import type { Parts } from '../parts.js';
import { createDocument } from './create-document.js';

// Every route is served; nothing else of the settings is read.
const settings = {
  environment: 'local',
  server: { bodyLimitBytes: 1, requestTimeoutSeconds: 1, trustProxy: 0, maxConcurrent: {} },
  testing: { enabled: true },
  payments: { mode: 'on', publicUrl: '/', prices: { discover: '0.01', prepare: '0.01' } },
} as unknown as Parts['settings'];

/** Generate the OpenAPI document from the routes alone: in preview mode Nest creates nothing of the server. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const logger = createLogger({ level: 'silent', secrets: [] });
  const database = undefined as unknown as Parts['database'];
  const { module, adapter } = describeApp({ settings, registry: [], logger, database });
  const app = await NestFactory.create(module, adapter, {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return createDocument(app, settings);
}
