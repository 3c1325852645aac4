import type { OpenAPIObject } from '@nestjs/swagger';
import { examples } from '../../src/openapi/examples.js';
import { fakeProvider } from '../support/fake-provider.js';
import { startService, type TestService } from '../support/start-service.js';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly example?: unknown; readonly schema: object }>;
  };
  readonly responses: Record<string, unknown>;
}

let service: TestService;
let operations: readonly (readonly [method: string, path: string, operation: Operation])[];
let document: OpenAPIObject;
beforeAll(async () => {
  service = await startService(fakeProvider({}, { id: examples.forkId }));
  document = (await (await fetch(`${service.url}/docs-json`)).json()) as OpenAPIObject;
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(
      ([method, operation]) => [method, path, operation] as const,
    ),
  );
});
afterAll(() => service.close());

const withExamples = (path: string) =>
  path.replace('{id}', examples.forkId).replace('{chain}', examples.chain);

describe('the document', () => {
  it('default: every route', () => {
    expect(operations.map(([method, path]) => `${method} ${path}`).sort()).toEqual([
      'delete /v1/forks/{id}',
      'get /health',
      'get /metrics',
      'get /v1/forks',
      'get /v1/forks/{id}',
      'post /rpc/forks/{id}',
      'post /rpc/{chain}',
      'post /v1/forks',
      'post /v1/forks/{id}/fund',
      'post /v1/forks/{id}/rpc',
    ]);
  });

  it('behavior: says of exactly the right routes that they need the credential', async () => {
    expect(document.components?.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
    });
    for (const [method, path, { security, responses }] of operations) {
      const { status } = await fetch(`${service.url}${withExamples(path)}`, { method });
      const needsCredential = status === 401;
      expect({ path, security: security ?? [] }).toEqual({
        path,
        security: needsCredential ? [{ bearer: [] }] : [],
      });
      expect('401' in responses).toBe(needsCredential);
    }
  });

  it('behavior: its examples work as they stand', async () => {
    for (const [method, path, { requestBody }] of operations) {
      const content = requestBody?.content['application/json'];
      const example = content?.example ?? (content?.schema as { example?: unknown } | undefined)?.example;
      if (requestBody)
        expect({ path, hasExample: example !== undefined }).toEqual({ path, hasExample: true });
      if (path.startsWith('/rpc/')) continue; // Needs a real fork.
      const { status, text } = await service.call(method.toUpperCase() as 'GET', withExamples(path), example);
      expect({ path, text, isGood: status === 200 || status === 204 }).toEqual({ path, text, isGood: true });
    }
  });

  it('behavior: Swagger UI is served from here alone', async () => {
    const page = await (await fetch(`${service.url}/docs`)).text();
    expect(page).toContain('Fork Service');
    expect(page).not.toMatch(/(?:src|href)="https?:/);
  });
});
