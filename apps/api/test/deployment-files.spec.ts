import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDeployment } from '@yield-vault/deployment';
import { parse, stringify } from 'yaml';
import { bundlerAccounts } from '@yield-vault/devnet';

const root = join(__dirname, '../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Service {
  readonly image?: string;
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}

const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
};

/** The environment of a service as Compose fills it in when nothing is set outside. */
const environmentOf = (name: string) =>
  Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [
      key,
      value.replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]),
  );

describe('config/local.yaml', () => {
  it('default: names the accounts of the bundlers that the devnet starts', () => {
    const env = environmentOf('api');
    const { chains } = parseDeployment(read('config/local.yaml'), env);
    for (const { fork } of Object.values(chains)) expect(fork.bundlerAccounts).toEqual(bundlerAccounts);
  });

  it('behavior: allows ten times as many requests as a deployment that says nothing', () => {
    const text = read('config/local.yaml');
    const { rateLimits: _, ...rest } = parse(text) as Readonly<Record<string, unknown>>;
    const [own, usual] = [text, stringify(rest)].map(
      (yaml) => parseDeployment(yaml, environmentOf('api')).rateLimits.perMinute,
    );
    expect(usual).toMatchObject({ discover: 120, prepare: 60, execute: 30, setupRelay: 30, testing: 20 });
    expect(own).toEqual(
      Object.fromEntries(Object.entries(usual!).map(([group, limit]) => [group, 10 * limit])),
    );
  });
});

describe('docker-compose.yml', () => {
  it('default: the server finds chains, bundlers and forks where the others are', () => {
    const env = environmentOf('api');
    const { chains, forks, preflight, testing } = parseDeployment(read('config/local.yaml'), env);
    const { FORK_SERVICE_PORT: port = '', FORK_SERVICE_CREDENTIAL: credential } =
      environmentOf('fork-service');
    expect(forks).toMatchObject({
      provider: 'service',
      url: `http://127.0.0.1:${port}`,
      adminCredential: credential,
    });
    expect([preflight.mode, testing.enabled]).toEqual(['enforce', true]);
    for (const [key, { relayMode, bundlerUrls }] of Object.entries(chains)) {
      expect(relayMode).toBe('managed-fork');
      const bundler = services[`bundler-${key}`];
      expect(bundler?.command?.slice(-4)).toEqual([
        '--chain',
        key,
        '--rpc-url',
        `http://127.0.0.1:${port}/rpc/${key}`,
      ]);
      expect(JSON.stringify(bundler?.healthcheck)).toContain(`${bundlerUrls[0] ?? ''}/health`);
    }
  });

  it('behavior: MCP reads the fork and calls the server; ports are published on 127.0.0.1 only', () => {
    const { SERVICE_URL, RPC_URL, HOST, PORT = '' } = environmentOf('mcp');
    expect({ SERVICE_URL, RPC_URL, HOST }).toEqual({
      SERVICE_URL: `http://127.0.0.1:${environmentOf('api')['PORT'] ?? ''}`,
      RPC_URL: `http://127.0.0.1:${environmentOf('fork-service')['FORK_SERVICE_PORT'] ?? ''}/rpc/base`,
      HOST: '0.0.0.0',
    });
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports).toContain(`127.0.0.1:${PORT}:${PORT}`);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('behavior: the file system of the production images is read-only', () => {
    const images = ['yield-vault-service', 'yield-vault-service-fork'];
    const production = Object.entries(services).filter(([, { image = '' }]) => images.includes(image));
    expect(production.map(([name, service]) => [name, service.read_only])).toEqual(
      ['fork-service', 'worker', 'api', 'mcp'].map((name) => [name, true]),
    );
  });

  it.each(Object.entries(services).filter(([, { command }]) => command?.[0] === 'node'))(
    'behavior: the program of %s exists',
    (_, { command }) => {
      const source = command?.[1]?.replace('/dist/', '/src/').replace(/\.js$/, '.ts') ?? '';
      expect([source, existsSync(join(root, source))]).toEqual([source, true]);
    },
  );

  it('behavior: a service that others wait for has a health check', () => {
    for (const { depends_on: awaited = {} } of Object.values(services))
      for (const [name, { condition }] of Object.entries(awaited))
        expect([name, condition, services[name]?.healthcheck]).toEqual([
          name,
          'service_healthy',
          expect.anything(),
        ]);
  });
});
