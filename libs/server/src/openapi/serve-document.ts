import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

// Swagger UI has inline styles and images in data URLs.
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serve a document as JSON and as Swagger UI at /docs. Loads nothing from other servers. */
export function serveDocument(
  app: NestFastifyApplication,
  document: OpenAPIObject,
  jsonDocumentUrl: string,
): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs'))
      route.onRequest = async (_request, reply) => void reply.header('content-security-policy', policy);
  });
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl,
    raw: ['json'],
    customSiteTitle: document.info.title,
    // The top bar would load other documents.
    customCss: '.swagger-ui .topbar { display: none }',
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      displayOperationId: false,
      defaultModelsExpandDepth: 0,
      defaultModelExpandDepth: 4,
      // The site links operations.
      deepLinking: true,
      docExpansion: 'list',
      // The default sends the address of a public deployment to an external validator.
      validatorUrl: null,
    },
  });
}
