import { listen } from '@yield-vault/testing';
import { createServerFactory } from './create-server.js';
import { createHttpServer } from './serve-http.js';
import { readSettings } from './settings.js';

let url: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  const settings = readSettings({}, 'http');
  const started = await listen(createHttpServer(createServerFactory(settings, '0.1.0')));
  stop = started.stop;
  url = `http://127.0.0.1:${started.port}`;
});
afterAll(() => stop());

const send = async (path: string, method: string, headers: Record<string, string> = {}) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const types = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const response = await fetch(url + path, {
    method,
    headers: { ...types, ...headers },
    ...(method === 'POST' && { body }),
  });
  return [response.status, await response.text()] as const;
};

it('default: a request without an origin, as agents send it', async () => {
  expect(await send('/mcp', 'POST')).toEqual([200, expect.stringContaining('"result":{}')]);
});

it.each(['http://localhost:6274', 'http://127.0.0.1:8080', 'http://[::1]'])(
  'behavior: origin %s of this machine',
  async (origin) => {
    expect(await send('/mcp', 'POST', { origin })).toEqual([200, expect.any(String)]);
  },
);

it.each([
  'https://evil.example',
  'http://localhost.evil.example',
  'http://127.0.0.1@evil.example',
  'null',
  'x',
])('error: 403 for origin %s, on any path', async (origin) => {
  expect((await send('/mcp', 'POST', { origin }))[0]).toBe(403);
  expect((await send('/', 'GET', { origin }))[0]).toBe(403);
});

it('error: 404 and 405', async () => {
  expect((await send('/', 'POST'))[0]).toBe(404);
  expect((await send('/mcp', 'GET'))[0]).toBe(405);
});
