import { UpstreamFailure } from '@yield-vault/chains';
import { z } from 'zod';
import { type FakeHttp, startFakeHttp } from '../../test/start-fake-http.js';
import { createJsonClient } from './create-json-client.js';

const schema = z.object({ name: z.string() });
let service: FakeHttp;

beforeEach(async () => {
  service = await startFakeHttp();
});
afterEach(() => service.stop());

const client = (options: { deadlineMs?: number; maxBytes?: number } = {}) =>
  createJsonClient({ name: 'example', ...options });
const failureOf = (response: Promise<unknown>) =>
  response.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('createJsonClient', () => {
  it('default: reads the fields of the schema and ignores others', async () => {
    service.respondWith({ name: 'a', extra: 1 });
    expect(await client().get(`${service.url}/x`, schema)).toEqual({ name: 'a' });
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /x']);
  });

  it('behavior: sends a body', async () => {
    service.respondWith({ name: 'b' });
    await client().post(`${service.url}/q`, { query: '{}' }, schema);
    expect(service.requests[0]).toMatchObject({
      method: 'POST',
      body: '{"query":"{}"}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it.each(['http-500', 'cut', 'partial', 'garbage'] as const)(
    'behavior: asks again after %s',
    async (fault) => {
      service.respondWith({ name: 'c' });
      service.failNext(fault, 1);
      expect(await client().get(service.url, schema)).toEqual({ name: 'c' });
      expect(service.requests).toHaveLength(2);
    },
  );

  it('behavior: waits as long as a rate limit asks for', async () => {
    service.respondWith({ name: 'd' });
    service.failNext('rate-limit', 1, { 'retry-after': '1' });
    const began = performance.now();
    expect(await client().get(service.url, schema)).toEqual({ name: 'd' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
  });

  it('error: a rate limit that outlasts the deadline is reported at once', async () => {
    service.failNext('rate-limit', Infinity, { 'retry-after': '60' });
    expect(await failureOf(client().get(service.url, schema))).toMatchObject({
      dependency: 'example',
      reason: 'rate limit exceeded',
      retryAfterSeconds: 60,
    });
    expect(service.requests).toHaveLength(1);
  });

  it('error: no response within the deadline', async () => {
    service.failNext('silent', Infinity);
    const failure = await failureOf(client({ deadlineMs: 100 }).get(service.url, schema));
    expect(failure).toBeInstanceOf(UpstreamFailure);
    expect(failure).toMatchObject({ reason: 'timed out' });
  });

  it('error: a response that never ends', async () => {
    service.failNext('endless', Infinity);
    expect(await failureOf(client({ maxBytes: 100_000 }).get(service.url, schema))).toMatchObject({
      reason: 'the response is too large',
    });
    expect(service.requests).toHaveLength(1);
  });

  it('error: another shape, and a refusal, are not retried', async () => {
    service.respondWith({ name: 1 });
    expect(await failureOf(client().get(service.url, schema))).toMatchObject({
      reason: 'the response has another shape',
    });
    service.failNext('http-404', Infinity);
    expect(await failureOf(client().get(service.url, schema))).toMatchObject({ reason: 'HTTP status 404' });
    expect(service.requests).toHaveLength(2);
  });

  it('error: a service that fails too often gets no requests for a while', async () => {
    service.failNext('silent', Infinity);
    const impatient = client({ deadlineMs: 50 });
    for (let turn = 0; turn < 3; turn += 1) await failureOf(impatient.get(service.url, schema));
    expect(await failureOf(impatient.get(service.url, schema))).toMatchObject({
      reason: 'failed too often: requests pause for up to a minute',
    });
    expect(service.requests).toHaveLength(3);
  });

  it('error: the caller gives up', async () => {
    service.failNext('silent', Infinity);
    const giveUp = new AbortController();
    const response = failureOf(client().get(service.url, schema, giveUp.signal));
    await service.received(1);
    giveUp.abort();
    expect(await response).toMatchObject({ name: 'AbortError' });
  });

  it('error: its text names no URL', async () => {
    service.failNext('cut', Infinity);
    const failure = await failureOf(client().get(`${service.url}/?key=secret`, schema));
    expect(String(failure)).not.toContain('secret');
  });
});
