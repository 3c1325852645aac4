import { UpstreamFailure } from '@yield-vault/chains';
import { z } from 'zod';
import { useFakeHttp } from '../../test/start-fake-http.js';
import { createJsonClient } from './create-json-client.js';

const schema = z.object({ name: z.string() });
const service = useFakeHttp();

const client = (options: { deadlineMs?: number; maxBytes?: number } = {}) =>
  createJsonClient({ name: 'example', ...options });
const get = (options?: Parameters<typeof client>[0]) => client(options).get(service.url, schema);

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
      expect(await get()).toEqual({ name: 'c' });
      expect(service.requests).toHaveLength(2);
    },
  );

  it('behavior: waits as long as a rate limit asks for', async () => {
    service.respondWith({ name: 'd' });
    service.failNext('rate-limit', 1, { 'retry-after': '1' });
    const began = performance.now();
    expect(await get()).toEqual({ name: 'd' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
  });

  it('error: a rate limit that outlasts the deadline is reported at once', async () => {
    service.failNext('rate-limit', Infinity, { 'retry-after': '60' });
    const failure = { dependency: 'example', reason: 'rate limit exceeded', retryAfterSeconds: 60 };
    await expect(get()).rejects.toMatchObject(failure);
    expect(service.requests).toHaveLength(1);
  });

  it('error: no response within the deadline', async () => {
    service.failNext('silent', Infinity);
    const response = get({ deadlineMs: 100 });
    await expect(response).rejects.toBeInstanceOf(UpstreamFailure);
    await expect(response).rejects.toMatchObject({ reason: 'timed out' });
  });

  it('error: a response that never ends', async () => {
    service.failNext('endless', Infinity);
    const failure = { reason: 'the response is too large' };
    await expect(get({ maxBytes: 100_000 })).rejects.toMatchObject(failure);
    expect(service.requests).toHaveLength(1);
  });

  it('error: another shape, and a refusal, are not retried', async () => {
    service.respondWith({ name: 1 });
    await expect(get()).rejects.toMatchObject({ reason: 'the response has another shape' });
    service.failNext('http-404', Infinity);
    await expect(get()).rejects.toMatchObject({ reason: 'HTTP status 404' });
    expect(service.requests).toHaveLength(2);
  });

  it('error: a service that fails too often gets no requests for a while', async () => {
    service.failNext('silent', Infinity);
    const impatient = client({ deadlineMs: 50 });
    const reasons = [
      'timed out',
      'timed out',
      'timed out',
      'failed too often: requests pause for up to a minute',
    ];
    for (const reason of reasons) {
      await expect(impatient.get(service.url, schema)).rejects.toMatchObject({ reason });
    }
    expect(service.requests).toHaveLength(3);
  });

  it('error: the caller gives up', async () => {
    service.failNext('silent', Infinity);
    const giveUp = new AbortController();
    const response = client().get(service.url, schema, giveUp.signal);
    const refusal = expect(response).rejects.toMatchObject({ name: 'AbortError' });
    await service.received(1);
    giveUp.abort();
    await refusal;
  });

  it('error: its text names no URL', async () => {
    service.failNext('cut', Infinity);
    const failure: unknown = await client()
      .get(`${service.url}/?key=secret`, schema)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UpstreamFailure);
    expect(String(failure)).not.toContain('secret');
  });
});
