import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listen } from '@yield-vault/testing';
import { HttpRequestError, TimeoutError } from 'viem';
import { createHttpPost } from './create-http-post.js';

const refusal = JSON.stringify({ error: { code: -32_005, message: 'limit exceeded' } });

let close: () => Promise<void>;
let respond: (response: ServerResponse, request: IncomingMessage) => void;
let timeoutMs: number;
let post: (userInfo?: string) => Promise<unknown>;

beforeEach(async () => {
  timeoutMs = 10_000;
  const server = createServer((request, response) => respond(response, request));
  const { port, stop } = await listen(server);
  close = stop;
  post = (userInfo = '') =>
    createHttpPost(`http://${userInfo}127.0.0.1:${port}/key`, timeoutMs)({ method: 'eth_chainId' });
});

afterEach(() => close());

const failure = async () => (await post().catch((error: unknown) => error)) as HttpRequestError;

describe('createHttpPost', () => {
  it('default: sends a body and parses the response', async () => {
    respond = (response, request) =>
      void request.toArray().then((chunks) => {
        const { method, url, headers } = request;
        const body = Buffer.concat(chunks as Buffer[]).toString();
        response.end(JSON.stringify([method, url, headers['content-type'], headers.authorization, body]));
      });
    const authorization = `Basic ${btoa('user:word')}`;
    const sent = ['POST', '/key', 'application/json', authorization, '{"method":"eth_chainId"}'];
    await expect(post('user:word@')).resolves.toEqual(sent);
  });

  it('behavior: a compressed response', async () => {
    respond = (response, { headers }) => {
      expect(headers['accept-encoding']).toBe('gzip');
      response.setHeader('content-encoding', 'gzip').end(gzipSync('{"result":1}'));
    };
    await expect(post()).resolves.toEqual({ result: 1 });
  });

  it('behavior: an error of JSON-RPC with an HTTP status is a response', async () => {
    respond = (response) => void response.writeHead(400).end(refusal);
    await expect(post()).resolves.toEqual(JSON.parse(refusal));
  });

  it.each(['slow down', '{"error":"slow down"}'])(
    'error: the HTTP status and Retry-After, with the body %s',
    async (body) => {
      respond = (response) => void response.writeHead(429, { 'retry-after': '7' }).end(body);
      const { status, details, headers } = await failure();
      expect([status, headers?.get('Retry-After')]).toEqual([429, '7']);
      expect(details).toContain(body);
    },
  );

  it.each(['<html>', ''])('error: the body %s is not JSON', async (body) => {
    respond = (response) => void response.end(body);
    const error = await failure();
    expect(error).toBeInstanceOf(HttpRequestError);
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });

  it('error: a redirect is not followed', async () => {
    respond = (response) => void response.writeHead(307, { location: '/other' }).end('moved');
    expect((await failure()).status).toBe(307);
  });

  it('error: a node that closes the connection', async () => {
    respond = (response) => void response.destroy();
    expect((await failure()).cause).toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  it.each([
    ['without a response', () => undefined],
    ['in the middle of a body', (response: ServerResponse) => void response.write('{"result":')],
  ])('error: the deadline ends a request %s, and its connection', async (_, stop) => {
    timeoutMs = 300;
    const closed = new Promise((resolve) => {
      respond = (response) => {
        response.once('close', resolve);
        stop(response);
      };
    });
    expect(await failure()).toBeInstanceOf(TimeoutError);
    await closed;
  });

  it.each([
    ['sent', (response: ServerResponse) => void response.end(' '.repeat(11 * 2 ** 20))],
    [
      'after decompression',
      (response: ServerResponse) =>
        void response.setHeader('content-encoding', 'gzip').end(gzipSync(' '.repeat(11 * 2 ** 20))),
    ],
  ])('error: more than 10 MiB, %s', async (_, answer) => {
    respond = answer;
    expect(await failure()).toBeInstanceOf(HttpRequestError);
  });
});
