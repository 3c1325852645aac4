import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../server/app.module.js';
import { createDocument } from './create-document.js';

/** Generate the OpenAPI document from the routes alone: in preview mode nothing of the server is created. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const app = await NestFactory.create(AppModule.forDocument(), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return createDocument(app);
}
