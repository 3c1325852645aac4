import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@yield-vault/protocol';
import { loadConfig } from './load-config.js';

const folder = mkdtempSync(join(tmpdir(), 'fork-service-config-'));
const file = join(folder, 'deployment.yaml');
writeFileSync(
  file,
  `environment: local
database: { directory: ./database }
discovery: { registryFile: ./registry.json }
forks:
  provider: service
  maxForks: 7
  service: { url: '\${FORK_SERVICE_URL:-}', adminCredential: '\${FORK_SERVICE_CREDENTIAL:-}' }
chains:
  base: { chainId: 8453, name: Base, rpcUrls: ['http://127.0.0.1:1'], explorerUrl: 'https://basescan.org' }
`,
);
afterAll(() => rmSync(folder, { recursive: true }));

const credential = 'a-credential-of-some-length';
const load = (env: Record<string, string> = {}) =>
  loadConfig({ YIELD_VAULT_CONFIG: file, FORK_SERVICE_CREDENTIAL: credential, ...env });

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    load(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).not.toContain(env['FORK_SERVICE_CREDENTIAL'] || credential);
    return (error as ConfigError).problems;
  }
  throw new Error('nothing was thrown');
};

describe('loadConfig', () => {
  it('default: loopback, port 3100, and the limits of the deployment', () => {
    const { settings, deployment, logLevel } = load();
    const defaults = { host: '127.0.0.1', port: 3100, takesPayments: false, requestTimeoutSeconds: 60 };
    expect(settings).toEqual({ ...defaults, credential });
    expect(deployment.forks.maxForks).toBe(7);
    expect(logLevel).toBe('info');
  });

  it('behavior: its own variables', () => {
    const { settings } = load({
      FORK_SERVICE_HOST: '0.0.0.0',
      FORK_SERVICE_PORT: '0',
      FORK_SERVICE_STATE_DIRECTORY: '/state',
    });
    expect(settings).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      stateDirectory: '/state',
    });
  });

  it('behavior: the credential may be in a file', () => {
    const name = join(folder, 'credential');
    writeFileSync(name, `${credential}\n`);
    const { settings } = load({ FORK_SERVICE_CREDENTIAL: '', FORK_SERVICE_CREDENTIAL_FILE: name });
    expect(settings).toMatchObject({ credential });
    expect(problemsOf({ FORK_SERVICE_CREDENTIAL_FILE: name })).toHaveLength(1);
  });

  it.each([
    ['FORK_SERVICE_CREDENTIAL', '', 'is required'],
    ['FORK_SERVICE_CREDENTIAL', 'fifteen-letters', 'at least 16'],
    ['FORK_SERVICE_CREDENTIAL', 'has a space in the middle', 'no space'],
    ['FORK_SERVICE_PORT', '65536', 'port number'],
    ['FORK_SERVICE_PORT', 'x', 'port number'],
  ])('error: ConfigError for %s=%j', (name, value, said) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
    expect(problems[0]).toContain(said);
  });

  it('error: ConfigError with every problem at once', () => {
    expect(problemsOf({ FORK_SERVICE_CREDENTIAL: 'short', FORK_SERVICE_PORT: 'x' })).toHaveLength(2);
  });

  it('error: ConfigError for a deployment file that is not there', () => {
    expect(problemsOf({ YIELD_VAULT_CONFIG: join(folder, 'none.yaml') })[0]).toContain('cannot be read');
  });
});
