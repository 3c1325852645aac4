import { gzipSync } from 'node:zlib';
import type { ErrorResponse } from '@yield-vault/protocol';
import fc from 'fast-check';
import { buildEnvelope, buildExecute } from '../support/build-requests.js';
import { expectError, expectViolations } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

const posts = ['discover', 'prepare', 'execute', 'setup-relay'].map((name) => `/v1/yield/${name}`);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe.each(posts)('the body of POST %s', (path) => {
  it.each([
    'null',
    '[]',
    '[{}]',
    '1',
    '"text"',
    'true',
    '{',
    '{"a":}',
    '',
    ' ',
    '{}{}',
    "{'a':1}",
    'NaN',
    '\ufeff{',
  ])('error: InvalidParametersError for %p', async (payload) => {
    expectViolations(await server.postRaw(path, payload), ['body']);
  });

  it.each([
    ['bytes that are no UTF-8', Buffer.from('{"chain":"\xff"}', 'latin1')],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('error: InvalidParametersError for %s', async (_name, payload) => {
    expectViolations(await server.postRaw(path, payload), ['body']);
  });

  it.each(['gzip', 'br', 'GZIP'])(
    'error: UnsupportedMediaTypeError for the encoding %s',
    async (encoding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const response = await server.postRaw(path, gzipSync('{}'), headers);
      expectError(response, 415, 'UNSUPPORTED_MEDIA_TYPE');
      expect(response.json<ErrorResponse>().detail).toContain('Content-Encoding');
    },
  );

  it('error: InvalidParametersError when there is no body and no content type', async () => {
    expectViolations(await server.app.inject({ method: 'POST', url: path }), ['body']);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data; boundary=x',
  ])('error: UnsupportedMediaTypeError for %s', async (type) => {
    expectError(await server.postRaw(path, '{}', { 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each(['not a type', ';'])('error: UnsupportedMediaTypeError for the header %p', async (type) => {
    expectError(await server.postRaw(path, '{}', { 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('error: BodyTooLargeError above 256 KiB', async () => {
    const payload = JSON.stringify({ a: 'x'.repeat(262_144) });
    const { details } = expectError(await server.postRaw(path, payload), 413, 'BODY_TOO_LARGE');
    expect(details).toEqual({ limitBytes: 262_144 });
  });

  it('error: InvalidParametersError names prototype properties', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', '__defineGetter__']) {
      expectViolations(await server.postRaw(path, `{"${name}":{"a":1}}`), [name]);
    }
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('error: InvalidParametersError for deep nesting', async () => {
    expectViolations(await server.postRaw(path, `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), [
      'body',
    ]);
  });

  it('error: InvalidParametersError for many unknown properties, in a short answer', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => [`property${index}`, 1]);
    const response = await server.post(path, Object.fromEntries(names));
    expectError(response, 400, 'INVALID_PARAMETERS');
    expect(response.body.length).toBeLessThan(10_000);
  });

  it('error: InvalidParametersError for an unknown property with a long name, in a short answer', async () => {
    const response = await server.post(path, { ['x'.repeat(100_000)]: 1 });
    expectError(response, 400, 'INVALID_PARAMETERS');
    expect(response.body.length).toBeLessThan(2_000);
  });

  it('behavior: any JSON at all is answered below 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.object({ maxDepth: 3, withNullPrototype: false }), async (body) => {
        const response = await server.post(path, body);
        expect(response.statusCode).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});

describe('the content type', () => {
  it.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'behavior: accepts %s',
    async (type) => {
      expect((await server.postRaw(posts[0] ?? '', '{}', { 'content-type': type })).statusCode).toBe(200);
    },
  );
});

describe('prototype names inside the envelope', () => {
  it.each([
    [['constructor'], 'intentEnvelope.constructor'],
    [['userOps', 0, 'constructor'], 'intentEnvelope.userOps[0].constructor'],
    [['userOps', 0, 'userOperation', 'constructor'], 'intentEnvelope.userOps[0].userOperation.constructor'],
    [['signing', 'domain', 'toString'], 'intentEnvelope.signing.domain.toString'],
  ])('error: InvalidParametersError at %j', async (place, field) => {
    const body = buildExecute({ intentEnvelope: buildEnvelope(place, { name: 'x' }) });
    expectViolations(await server.post('/v1/yield/execute', body), [field]);
  });

  it('error: InvalidParametersError inside a property of any shape', async () => {
    const payload = JSON.stringify(
      buildExecute({ intentEnvelope: buildEnvelope(['eip7702AuthRequest'], 'HERE') }),
    ).replace('"HERE"', '{"__proto__":{"polluted":true}}');
    const field = 'intentEnvelope.eip7702AuthRequest.__proto__';
    expectViolations(await server.postRaw('/v1/yield/execute', payload), [field]);
  });
});

describe('a mutated envelope', () => {
  it('behavior: for any replaced part the status is below 500', async () => {
    const places = fc.constantFrom<readonly (string | number)[]>(
      ['userOps'],
      ['userOps', 0],
      ['userOps', 0, 'userOperation'],
      ['userOps', 0, 'userOperation', 'nonce'],
      ['signing'],
      ['signing', 'types'],
      ['signing', 'types', 'Intent'],
      ['signing', 'types', 'Intent', 0],
      ['signing', 'message'],
      ['proofs'],
      ['destinationExecutions'],
      ['eip7702AuthRequest'],
      ['expiry'],
    );
    await fc.assert(
      fc.asyncProperty(places, fc.jsonValue({ maxDepth: 3 }), async (place, value) => {
        const body = buildExecute({ intentEnvelope: buildEnvelope(place, value) });
        expect((await server.post('/v1/yield/execute', body)).statusCode).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
