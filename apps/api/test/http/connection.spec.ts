import { once } from 'node:events';
import { connect } from 'node:net';
import type { ExecuteResponse } from '@yield-vault/protocol';
import { buildExecute } from '../support/build-requests.js';
import { buildExecuteResponse } from '../support/build-responses.js';
import { fakeDatabase, fakeFeatures } from '../support/fake-features.js';
import { startServer, type TestServer } from '../support/start-server.js';

async function listen(server: TestServer): Promise<string> {
  await server.app.listen(0, '127.0.0.1');
  return server.app.getUrl();
}

const connections = (server: TestServer) =>
  new Promise<number>((resolve) => server.app.getHttpServer().getConnections((_, count) => resolve(count)));

/** Try until there is a result. */
async function until<Result>(attempt: () => Promise<Result | undefined | false>): Promise<Result> {
  for (;;) {
    const result = await attempt();
    if (result) return result;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const execute = (url: string) =>
  fetch(`${url}/v1/yield/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(buildExecute()),
  });

describe('closing', () => {
  it('behavior: an execute under way is served, nothing new is accepted, the database is closed last', async () => {
    let finish: (response: ExecuteResponse) => void = () => undefined;
    let started: () => void = () => undefined;
    const underWay = new Promise<void>((resolve) => (started = resolve));
    const log: string[] = [];
    const remember = (line: string) => () => {
      log.push(line);
      return Promise.resolve();
    };
    const server = await startServer({
      features: {
        executionRelay: {
          ...fakeFeatures().features.executionRelay,
          execute: () => {
            started();
            return new Promise((resolve) => (finish = resolve));
          },
          resume: () => Promise.resolve(),
          drain: remember('drain'),
        },
        database: { ...fakeDatabase, ping: () => Promise.resolve(), close: remember('close') },
      },
    });
    const url = await listen(server);
    const answer = execute(url);
    await underWay;
    const closed = server.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    expect(log).toEqual([]);
    finish(buildExecuteResponse());
    expect((await answer).status).toBe(200);
    await closed;
    expect(log).toEqual(['drain', 'close']);
  });

  it('behavior: idle connections do not hold it up', async () => {
    const server = await startServer();
    const url = await listen(server);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const before = performance.now();
    await server.close();
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

/** Send bytes to a real server. @returns head and body of its response, until it closes the connection */
async function exchange(sent: string): Promise<readonly string[]> {
  const server = await startServer();
  const { port } = new URL(await listen(server));
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(sent));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
  await server.close();
  return answer.split('\r\n\r\n');
}

describe('bytes that are no HTTP request', () => {
  it.each([
    ['NONSENSE\r\n\r\n', 'request must be an HTTP request.'],
    [
      `GET /health HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`,
      'request must have at most 16384 bytes of path and headers.',
    ],
  ])('error: the error body, and the connection is closed', async (sent, detail) => {
    const [head = '', body = ''] = await exchange(sent);
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request/);
    expect(head).toContain('nosniff');
    expect(JSON.parse(body)).toMatchObject({ statusCode: 400, code: 'INVALID_PARAMETERS', detail });
  });
});

describe('a body that is too large', () => {
  it.each([
    ['says its length', 'Content-Length: 262145\r\n\r\n'],
    ['comes in chunks', `Transfer-Encoding: chunked\r\n\r\n40001\r\n${'x'.repeat(0x40001)}`],
  ])(
    'error: BodyTooLargeError without the rest of one that %s, and the connection is closed',
    async (_, rest) => {
      const headers = 'Host: localhost\r\nContent-Type: application/json';
      const [head = '', body = ''] = await exchange(
        `POST /v1/yield/discover HTTP/1.1\r\n${headers}\r\n${rest}`,
      );
      expect(head).toMatch(/^HTTP\/1.1 413 Payload Too Large/);
      expect(JSON.parse(body)).toMatchObject({ statusCode: 413, code: 'BODY_TOO_LARGE' });
    },
  );
});

describe('connections', () => {
  it('attack: one that sent no request is gone a second after its deadline, though its client keeps it open', async () => {
    const server = await startServer();
    // Node.js checks it every 5 s.
    server.app.getHttpServer().headersTimeout = 100;
    const { port } = new URL(await listen(server));
    const open = () => connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    const sockets = [open(), open()] as const;
    // Neither reads, so neither sees the response and its end.
    for (const socket of sockets) socket.pause().on('error', () => undefined);
    sockets[1].write('NONSENSE\r\n\r\n');
    await until(async () => (await connections(server)) === 2);
    const before = performance.now();
    await until(async () => (await connections(server)) === 1 || performance.now() - before > 2_500);
    expect(await connections(server)).toBe(1);
    await until(async () => (await connections(server)) === 0 || performance.now() - before > 8_000);
    expect(await connections(server)).toBe(0);
    for (const socket of sockets) socket.destroy();
    await server.close();
  }, 10_000);

  it('attack: one above the limit is closed without a response, until another one ends', async () => {
    const server = await startServer({ server: { maxConnections: 2 } });
    const { port } = new URL(await listen(server));
    const open = () => connect(Number(port), '127.0.0.1');
    const idle = [open(), open()] as const;
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    const refused = open();
    const received: Buffer[] = [];
    refused.on('data', (data) => received.push(data)).on('error', () => undefined);
    await once(refused, 'close');
    expect(received).toEqual([]);
    idle[0].destroy();
    await once(idle[0], 'close');
    const response = await until(() => fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined));
    expect(response.status).toBe(200);
    idle[1].destroy();
    await server.close();
  });

  it('attack: a client that does not read its responses is cut off at the deadline', async () => {
    const server = await startServer({ server: { requestTimeoutSeconds: 0.5 } });
    const { port } = new URL(await listen(server));
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    // More than the buffers of both sides hold.
    socket.pause().write('GET /docs/swagger-ui-init.js HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50));
    await until(async () => (await connections(server)) === 1);
    await until(async () => (await connections(server)) === 0);
    socket.destroy();
    await server.close();
  });
});

describe('an expectation', () => {
  it('behavior: is ignored', async () => {
    const headers = 'Host: localhost\r\nExpect: wonders\r\nConnection: close';
    const [head] = await exchange(`GET /health HTTP/1.1\r\n${headers}\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1.1 200 OK/);
  });
});

describe('logs', () => {
  it('behavior: one line a request, without query, body or signature; secrets masked', async () => {
    const signature = `0x${'ab'.repeat(65)}`;
    const server = await startServer({
      secrets: ['/v2/secret-key'],
      features: {
        executionRelay: {
          ...fakeFeatures().features.executionRelay,
          execute: ({ intentSignature }) =>
            Promise.reject(
              new Error(`POST https://rpc.example.org/v2/secret-key {"signature":"${intentSignature}"}`),
            ),
          resume: () => Promise.resolve(),
          drain: () => Promise.resolve(),
        },
      },
    });
    server.logged.length = 0;
    await server.get('/v1/yield/history?vaultId=42');
    await server.post('/v1/yield/execute', buildExecute({ intentSignature: signature }));
    await server.close();
    expect(server.logged.filter(({ msg }) => msg === 'request')).toMatchObject([
      { method: 'GET', path: '/v1/yield/history', statusCode: 200 },
      { method: 'POST', path: '/v1/yield/execute', statusCode: 500 },
    ]);
    const text = JSON.stringify(server.logged);
    expect(text).toContain('https://rpc.example.org[masked]');
    for (const hidden of ['secret-key', 'vaultId=42', signature]) expect(text).not.toContain(hidden);
    for (const line of server.logged) expect(line).toHaveProperty('requestId');
  });
});
