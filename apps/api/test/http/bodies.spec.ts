import { gzipSync } from 'node:zlib';
import type { ErrorResponse } from '@yield-vault/protocol';
import fc from 'fast-check';
import { buildEnvelope, buildExecute } from '../support/build-requests.js';
import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

const posts = ['discover', 'prepare', 'execute', 'setup-relay'].map((name) => `/v1/yield/${name}`);
const server = useServer();

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
    'not a type',
    ';',
  ])('error: UnsupportedMediaTypeError for %p', async (type) => {
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

  it('error: InvalidParametersError for many unknown properties, in a short response', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => [`property${index}`, 1]);
    const response = await server.post(path, Object.fromEntries(names));
    expectError(response, 400, 'INVALID_PARAMETERS');
    expect(response.body.length).toBeLessThan(10_000);
  });

  it('error: InvalidParametersError for an unknown property with a long name, in a short response', async () => {
    const response = await server.post(path, { ['x'.repeat(100_000)]: 1 });
    expectError(response, 400, 'INVALID_PARAMETERS');
    expect(response.body.length).toBeLessThan(2_000);
  });

  it('behavior: any JSON at all gets a status below 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.object({ maxDepth: 3, withNullPrototype: false }), async (body) => {
        const response = await server.post(path, body);
        expect(response.statusCode).toBeLessThan(500);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

describe('the content type', () => {
  it.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'behavior: accepts %s',
    async (type) => {
      expectOk(await server.postRaw(posts[0] ?? '', '{}', { 'content-type': type }));
    },
  );
});

describe('prototype names inside the envelope', () => {
  it.each([
    ['constructor', 'intentEnvelope.constructor'],
    ['signing.domain.toString', 'intentEnvelope.signing.domain.toString'],
  ])('error: InvalidParametersError at %s', async (place, field) => {
    const body = buildExecute({ intentEnvelope: buildEnvelope(place, { name: 'x' }) });
    expectViolations(await server.post('/v1/yield/execute', body), [field]);
  });

  it.each<[string, unknown]>([
    ['userOps.0.extra', 'HERE'],
    ['userOps.0.userOperation.extra', 'HERE'],
    ['eip7702AuthRequest', { extra: 'HERE' }],
  ])('behavior: ignored at %s, where any property is allowed', async (place, value) => {
    const payload = JSON.stringify(buildExecute({ intentEnvelope: buildEnvelope(place, value) }));
    const hostile = payload.replace('"extra":"HERE"', '"__proto__":{"polluted":true},"constructor":1');
    expect(hostile).toContain('__proto__');
    expectOk(await server.postRaw('/v1/yield/execute', hostile));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('bounds', () => {
  const path = '/v1/yield/execute';
  const violationsOf = async (payload: string | object) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const { details } = expectError(await server.postRaw(path, body), 400, 'INVALID_PARAMETERS');
    return details['violations'] as unknown as { field: string; message: string }[];
  };

  it.each([
    ['2000 values', `[${'1,'.repeat(1_999)}1]`, 'body must have at most 2000 JSON values.'],
    ['32 levels', '['.repeat(33), 'body must nest at most 32 levels.'],
  ])('error: InvalidParametersError above %s', async (_name, payload, message) => {
    expect(await violationsOf(payload)).toEqual([{ field: 'body', message }]);
  });

  it.each([
    ['userOps', {}],
    ['destinationExecutions', 1],
    ['proofs', []],
    ['proofs.0', `0x${'00'.repeat(32)}`],
    ['signing.types.Intent', {}],
  ])('error: InvalidParametersError for more than 32 items in %s', async (place, item) => {
    const violations = await violationsOf(
      buildExecute({
        intentEnvelope: buildEnvelope(
          place,
          Array.from({ length: 33 }, () => item),
        ),
      }),
    );
    expect(violations).toHaveLength(1);
    expect(violations[0]!.message).toContain('at most 32 items');
  });

  it('error: InvalidParametersError lists at most 20 violations', async () => {
    const names = Array.from({ length: 100 }, (_, index) => [`property${index}`, 1]);
    expect(await violationsOf(Object.fromEntries(names) as object)).toHaveLength(20);
  });
});

describe('a mutated envelope', () => {
  it('behavior: for any replaced part the status is below 500', async () => {
    const operation = 'userOps.0.userOperation';
    const ofSigning = ['signing', 'signing.types', 'signing.types.Intent', 'signing.types.Intent.0'];
    const places = fc.constantFrom(
      'userOps',
      'userOps.0',
      operation,
      `${operation}.nonce`,
      ...ofSigning,
      'signing.message',
      'proofs',
      'destinationExecutions',
      'eip7702AuthRequest',
      'expiry',
    );
    await fc.assert(
      fc.asyncProperty(places, fc.jsonValue({ maxDepth: 3 }), async (place, value) => {
        const body = buildExecute({ intentEnvelope: buildEnvelope(place, value) });
        expect((await server.post('/v1/yield/execute', body)).statusCode).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});
