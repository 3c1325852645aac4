import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** Serve a document as JSON and as Swagger UI at /docs, from this server's own files alone. */
export function serveDocument(
  app: NestFastifyApplication,
  document: OpenAPIObject,
  jsonDocumentUrl: string,
): void {
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl,
    raw: ['json'],
    customSiteTitle: document.info.title,
    // The bar is for loading other documents.
    customCss: '.swagger-ui .topbar { display: none }',
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      displayOperationId: false,
      defaultModelsExpandDepth: 0,
      defaultModelExpandDepth: 4,
      docExpansion: 'list',
      // Without this a public deployment would send its address to an outside validator.
      validatorUrl: null,
    },
  });
}
