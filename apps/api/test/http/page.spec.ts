import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expectError } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

// The bundle: nx build web
const files = readdirSync(join(dirname(require.resolve('@yield-vault/web/package.json')), 'dist'));

let server: TestServer;
afterEach(() => server.close());

describe('GET /', () => {
  it.each(['GET', 'HEAD'] as const)(
    'default: %s the page, which may load from this host alone',
    async (method) => {
      server = await startServer();
      const response = await server.app.inject({ method, url: '/' });
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.headers['content-security-policy']).toBe("default-src 'self'");
      expect(response.headers['x-request-id']).toEqual(expect.any(String));
      expect(response.body.startsWith('<!doctype html>')).toBe(method === 'GET');
    },
  );

  it("default: the local deployment serves the reviewer's flow", async () => {
    server = await startServer();
    expect((await server.get('/flow.js')).body).toContain('/v1/testing/fund-wallet');
  });

  it.each(['staging', 'preproduction', 'production'] as const)(
    "behavior: %s serves the page without the code of the reviewer's flow",
    async (environment) => {
      server = await startServer({ settings: { environment } });
      expect((await server.get('/')).statusCode).toBe(200);
      for (const method of ['GET', 'HEAD'] as const)
        expect((await server.app.inject({ method, url: '/flow.js' })).statusCode).toBe(404);
      for (const path of [
        '/flow.js',
        '/./flow.js',
        '/%66low.js',
        '//flow.js',
        '/x/../flow.js',
        '/flow.js?x=1',
      ])
        expectError(await server.get(path), 404, 'NOT_FOUND');
      for (const file of files.filter((name) => name !== 'flow.js')) {
        const { statusCode, body } = await server.get(`/${file}`);
        expect([file, statusCode, body.includes('fund-wallet')]).toEqual([file, 200, false]);
      }
    },
  );
});

describe('GET /llms.txt', () => {
  it('default: names each route of the OpenAPI document, and what it does', async () => {
    server = await startServer();
    const { statusCode, headers, body } = await server.get('/llms.txt');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(body).toMatch(/^# Yield Vault Service\n\n> \S/);
    const { paths } = (await server.get('/openapi.json')).json<{ paths: Record<string, object> }>();
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { summary: string }>).map(
        ([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
      ),
    );
    expect(
      body
        .split('\n')
        .filter((line) => line.startsWith('- `'))
        .sort(),
    ).toEqual(routes.sort());
  });

  it('behavior: HEAD has the same headers and no body', async () => {
    server = await startServer();
    const { statusCode, headers, body } = await server.app.inject({ method: 'HEAD', url: '/llms.txt' });
    const { headers: full } = await server.get('/llms.txt');
    expect([statusCode, body]).toEqual([200, '']);
    expect(headers['content-length']).toBe(full['content-length']);
  });

  it('behavior: a deployment does not name what it does not serve', async () => {
    server = await startServer({ settings: { environment: 'production', testing: { enabled: false } } });
    expect((await server.get('/llms.txt')).body).not.toContain('fund-wallet');
  });
});
