import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ServerSettings } from '../../src/settings.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError, expectOk } from '../support/expect-error.js';
import { startServer, useServer, type TestServer } from '../support/start-server.js';

// The bundle: nx build web
const files = readdirSync(join(dirname(require.resolve('@yield-vault/web/package.json')), 'dist'));

const unframed = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
const policyOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['content-security-policy']).split('; ');

const server = useServer();

/** Run a test against a server of its own. */
async function withServer(settings: Partial<ServerSettings>, test: (own: TestServer) => Promise<void>) {
  const own = await startServer({ settings });
  await test(own).finally(() => own.close());
}

describe('GET /', () => {
  it.each(['GET', 'HEAD'] as const)(
    'default: %s the page, which may load from this host alone',
    async (method) => {
      const response = await server.app.inject({ method, url: '/' });
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(policyOf(response)).toEqual(["default-src 'self'", ...unframed]);
      expect(response.headers['x-request-id']).toEqual(expect.any(String));
      expect(response.body.startsWith('<!doctype html>')).toBe(method === 'GET');
    },
  );

  it("default: the local deployment serves the reviewer's flow", async () => {
    expect((await server.get('/flow.js')).body).toContain('/v1/testing/fund-wallet');
  });

  it.each(['staging', 'preproduction', 'production'] as const)(
    "behavior: %s serves the page without the code of the reviewer's flow",
    async (environment) => {
      await withServer({ environment }, async ({ app, get }) => {
        expectOk(await get('/'));
        expect((await app.inject({ method: 'HEAD', url: '/flow.js' })).statusCode).toBe(404);
        for (const path of ['flow.js', './flow.js', '%66low.js', '/flow.js', 'x/../flow.js', 'flow.js?x=1'])
          expectError(await get(`/${path}`), 404, 'NOT_FOUND');
        for (const file of files.filter((name) => name !== 'flow.js')) {
          const { statusCode, body } = await get(`/${file}`);
          expect([file, statusCode, body.includes('fund-wallet')]).toEqual([file, 200, false]);
        }
      });
    },
  );
});

describe('GET /llms.txt', () => {
  it('default: names each route of the OpenAPI document, and what it does', async () => {
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
    const { statusCode, headers, body } = await server.app.inject({ method: 'HEAD', url: '/llms.txt' });
    const { headers: full } = await server.get('/llms.txt');
    expect([statusCode, body]).toEqual([200, '']);
    expect(headers['content-length']).toBe(full['content-length']);
  });

  it('behavior: a deployment does not name what it does not serve', async () => {
    await withServer({ testing: { enabled: false } }, async ({ get }) => {
      expect((await get('/llms.txt')).body).not.toContain('fund-wallet');
    });
  });
});

// The site: nx build site
describe('GET /guides/', () => {
  it('default: the site, whose scripts come from this host or are known by their hash', async () => {
    const response = await server.get('/guides/');
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const policy = policyOf(response);
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'self'", "img-src 'self' data:", ...unframed]),
    );
    expect(policy.find((rule) => rule.startsWith('script-src'))).toMatch(
      /^script-src 'self'( 'sha256-[\w+/]+=')+$/,
    );
    expect(policy.join()).not.toContain('unsafe-inline');
    expect((await server.get('/guides')).headers['location']).toBe('/guides/');
  });

  it('behavior: clients keep the files whose names have a hash', async () => {
    const [, script] = / src="(\/guides\/assets\/[^"]+\.js)"/.exec((await server.get('/guides/')).body)!;
    expect((await server.get(script!)).headers['cache-control']).toContain('immutable');
    expect((await server.get('/guides/signing.md')).headers['cache-control']).toBe('public, max-age=0');
  });

  it('error: a page that does not exist is 404', async () => {
    expectError(await server.get('/guides/nowhere.html'), 404, 'NOT_FOUND');
  });
});

describe('GET /docs', () => {
  it.each(['/docs', '/docs/swagger-ui-init.js', '/docs/swagger-ui.css'])(
    'default: %s may load from this host alone, and no page may frame it',
    async (path) => {
      const response = await server.get(path);
      expect(response.statusCode).toBe(200);
      expect(policyOf(response)).toEqual([
        "default-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        ...unframed,
      ]);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
    },
  );
});

describe('pages', () => {
  const paths = [
    '/',
    '/page.js',
    '/guides/',
    '/guides/signing.md',
    '/docs',
    '/docs/swagger-ui-bundle.js',
    '/openapi.json',
    '/llms.txt',
  ];

  it.each(paths)('behavior: %s is compressed for clients that accept gzip', async (path) => {
    const plain = await server.get(path);
    for (let call = 0; call < 2; call += 1) {
      const { headers, rawPayload } = await server.get(path, { 'accept-encoding': 'gzip, br' });
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(headers['content-length']).toBe(String(rawPayload.length));
      expect(gunzipSync(rawPayload).equals(plain.rawPayload)).toBe(true);
      expect(rawPayload.length).toBeLessThan(plain.rawPayload.length);
    }
    const refusing = await server.get(path, { 'accept-encoding': 'gzip;q=0' });
    expect([refusing.headers['content-encoding'], refusing.body]).toEqual([undefined, plain.body]);
    expect(plain.headers['vary']).toBe('Accept-Encoding');
  });

  it('behavior: a page that did not change is not sent again', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const { headers: first } = await server.get('/page.js', headers);
    const again = await server.get('/page.js', { ...headers, 'if-none-match': String(first['etag']) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('behavior: they share a limit, which calls do not use up', async () => {
    const { rateLimits } = buildSettings();
    const perMinute = { ...rateLimits.perMinute, pages: paths.length };
    await withServer({ rateLimits: { ...rateLimits, perMinute } }, async ({ app, get }) => {
      for (const path of paths) expectOk(await get(path));
      for (const path of [...paths, '/docs/nowhere']) {
        const refused = await get(path);
        expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
        expect(refused.headers['retry-after']).toBe(refused.headers['ratelimit-reset']);
      }
      expect((await app.inject({ method: 'HEAD', url: '/' })).statusCode).toBe(429);
      expectOk(await get('/health'));
      expectError(await get('/nowhere'), 404, 'NOT_FOUND');
    });
  });
});
