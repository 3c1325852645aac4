import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { createLogger } from '../logging/create-logger.js';
import type { AnsweredRequest } from '../metrics/create-http-metrics.js';
import { abortWhenCallerLeaves } from '../http/request.js';
import { createHttpAdapter } from './create-http-adapter.js';

/** Serve routes whose handler waits. @returns what was logged and measured */
async function serve(handle: (reply: FastifyReply) => Promise<unknown>, requestTimeoutSeconds = 10) {
  const logged: Record<string, unknown>[] = [];
  const observed: AnsweredRequest[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[0]) };
  const fastify = createHttpAdapter({
    bodyLimitBytes: 1_000,
    requestTimeoutSeconds,
    trustProxy: 0,
    logger: createLogger({ level: 'info', secrets: [], destination }),
    observe: (answered) => observed.push(answered),
  }).getInstance();
  fastify.all('/slow', (_request, reply) => handle(reply));
  const url = await fastify.listen({ port: 0 });
  const requests = () => logged.filter(({ msg }) => msg === 'request');
  return { url, logged, requests, observed, close: () => fastify.close() };
}

describe('createHttpAdapter', () => {
  it.each(['GET', 'POST'])(
    'behavior: a %s whose client left is logged and measured as 499',
    async (method) => {
      let start: (handled: { readonly reply: FastifyReply }) => void = () => undefined;
      const started = new Promise<{ readonly reply: FastifyReply }>((resolve) => (start = resolve));
      const server = await serve(async (reply) => {
        start({ reply });
        await once(reply.raw, 'close');
        return {};
      });
      const headers = { 'content-type': 'application/json' };
      const sent = request(`${server.url}/slow?secret=1`, { method, headers }).on('error', () => undefined);
      sent.end(method === 'POST' ? '{}' : undefined);
      const { reply } = await started;
      const left = once(reply.raw, 'close');
      sent.destroy();
      await left;
      expect(abortWhenCallerLeaves(reply).aborted).toBe(true);
      await server.close();
      const seconds = expect.any(Number) as number;
      expect(server.observed).toEqual([{ method, route: '/slow', statusCode: 499, seconds }]);
      expect(server.requests()).toMatchObject([{ method, path: '/slow', statusCode: 499 }]);
    },
  );

  it('behavior: a URL that cannot be decoded is logged and measured', async () => {
    const server = await serve(() => Promise.resolve({}));
    const response = await fetch(`${server.url}/%zz`);
    expect(response.status).toBe(404);
    await server.close();
    expect(server.observed).toMatchObject([{ method: 'GET', route: 'unmatched', statusCode: 404 }]);
    expect(server.requests()).toMatchObject([{ path: '/%zz', statusCode: 404 }]);
  });

  it('behavior: a result after the deadline is dropped without a warning', async () => {
    const server = await serve(({ raw }) => once(raw, 'close').then(() => ({})), 0.05);
    await fetch(`${server.url}/slow`);
    await pause(10);
    await server.close();
    expect(server.logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });
});
