import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue } from '@yield-vault/protocol';
import { generateDocument } from '../../src/openapi/generate-document.js';

let document: OpenAPIObject;
beforeAll(async () => {
  document = await generateDocument();
});

describe('the document', () => {
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'patch', 'delete', 'options', 'head'] as const).flatMap((method) => {
        const found = item[method];
        return found ? [{ path, method, found }] : [];
      }),
    );

  it('default: version, tags and routes', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Yield Vault Service', version: '0.1.0' });
    expect(document.tags?.map(({ name }) => name)).toEqual([
      'Discovery',
      'Intents',
      'Relay',
      'Portfolio',
      'Testing',
      'Service',
    ]);
    expect(operations().map(({ path, method }) => `${method} ${path}`)).toEqual([
      'post /v1/yield/discover',
      'get /v1/yield/chains',
      'get /v1/yield/vaults',
      'get /v1/yield/vaults/{vaultId}',
      'get /v1/yield/vaults/{vaultId}/quote',
      'get /v1/yield/vaults/{vaultId}/alternatives',
      'post /v1/yield/prepare',
      'post /v1/yield/gasless-setup',
      'get /v1/yield/calls',
      'post /v1/yield/execute',
      'get /v1/yield/intents',
      'get /v1/yield/intents/{intentId}',
      'post /v1/yield/setup-relay',
      'get /v1/yield/status',
      'post /v1/yield/status/batch',
      'get /v1/yield/history',
      'post /v1/testing/fund-wallet',
      'get /v1/testing/fork-status',
      'get /.well-known/x402',
      'get /health',
      'get /health/ready',
      'get /metrics',
    ]);
  });

  it('behavior: every operation has one known tag, a summary, a description and an id of its own', () => {
    const tags = document.tags?.map(({ name }) => name);
    for (const { found } of operations()) {
      expect(found.tags).toHaveLength(1);
      expect(tags).toContain(found.tags?.[0]);
      expect(found.summary).toBeTruthy();
      expect(found.description).toBeTruthy();
    }
    const ids = operations().map(({ found }) => found.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('behavior: every response of 4xx and 5xx but 402 has the error body', () => {
    for (const { path, found } of operations()) {
      const statuses = Object.keys(found.responses).filter(
        (status) => Number(status) >= 400 && status !== '402',
      );
      expect(statuses).toContain('500');
      if (path.startsWith('/v1/')) expect(statuses).toEqual(expect.arrayContaining(['400', '429', '503']));
      for (const status of statuses) {
        const response = found.responses[status];
        if (!response || '$ref' in response) throw new Error('no response');
        expect(response.content?.['application/json']?.schema).toEqual({
          $ref: '#/components/schemas/Error',
        });
        if (status === '429' || status === '503') expect(response.headers).toHaveProperty('Retry-After');
      }
    }
  });

  it('behavior: an error has one of the codes that the API returns, none of the fork service', () => {
    const { UNAUTHORIZED: _ofForkService, ...answered } = errorCatalogue;
    const { properties } = document.components?.schemas?.['Error'] as { properties: { code: object } };
    expect(properties.code).toMatchObject({ enum: Object.keys(answered) });
  });

  it('behavior: payment required is documented where a call may have a price', () => {
    const paid = operations().filter(({ found }) => '402' in found.responses);
    expect(paid.map(({ path }) => path)).toEqual([
      '/v1/yield/discover',
      '/v1/yield/prepare',
      '/v1/yield/gasless-setup',
      '/v1/yield/calls',
    ]);
  });

  it('behavior: every reference resolves, and no mark-up remains', () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/([^"]*)"/g)) {
      expect(document.components?.schemas).toHaveProperty([name ?? '']);
    }
    expect(text).not.toContain('x-any');
    expect(text).not.toContain('Dto');
  });

  it('behavior: nothing in it leads outside but licence and contact', () => {
    const hosts = [...JSON.stringify(document).matchAll(/https?:\/\/([^/"]+)/g)].map(([, host]) => host);
    expect(new Set(hosts)).toEqual(
      new Set(['www.apache.org', 'basescan.org', '127.0.0.1:3100', 'api.example.org', 'github.com']),
    );
  });
});
