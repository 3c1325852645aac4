import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { selectProfile, shippedRegistry } from '@yield-vault/vault-discovery';
import { ConfigError } from '@yield-vault/protocol';
import { loadConfig } from './load-config.js';

const local = resolve(__dirname, '../../../config/local.yaml');
const environment = {
  YIELD_VAULT_CONFIG: local,
  BASE_RPC_URL: 'https://rpc.example.org/v2/base-key',
  BASE_BUNDLER_URL: 'https://bundler.example.org/base',
  ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
  ETHEREUM_BUNDLER_URL: 'http://127.0.0.1:2',
};

const problemsOf = (env: Record<string, string | undefined>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  throw new Error('the configuration was accepted');
};

describe('loadConfig', () => {
  it('default: the deployment, its registry and the log level', () => {
    const { deployment, registry, logLevel } = loadConfig(environment);
    expect(deployment).toMatchObject({ environment: 'local', server: { host: '127.0.0.1', port: 3000 } });
    expect(registry.length).toBeGreaterThanOrEqual(14);
    expect(logLevel).toBe('info');
  });

  it('behavior: HOST, PORT and LOG_LEVEL come from the environment', () => {
    const { deployment, logLevel } = loadConfig({
      ...environment,
      HOST: '::1',
      PORT: '8080',
      LOG_LEVEL: 'debug',
    });
    expect(deployment.server).toMatchObject({ host: '::1', port: 8080 });
    expect(logLevel).toBe('debug');
  });

  const production = {
    ...environment,
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../config/production.yaml'),
    DATABASE_URL: 'postgres://127.0.0.1:1/yield',
    PAYMASTER_OWNER: '0x1111111111111111111111111111111111111111',
    BASE_LOGS_FROM_BLOCK: '1',
    ETHEREUM_LOGS_FROM_BLOCK: '1',
  };

  it('behavior: production offers the core profile of the shipped vaults, knows all, and uses every source', () => {
    const { registry, deployment } = loadConfig(production);
    expect(registry).toEqual(selectProfile(shippedRegistry(), 'core'));
    expect(registry).toHaveLength(139);
    expect(Object.keys(deployment.discovery.sources)).toEqual([
      'morphoUrl',
      'llamaYieldsUrl',
      'llamaCoinsUrl',
      'merklUrl',
    ]);
  });

  it('behavior: off offers every shipped vault, and turns a source off', () => {
    const { registry, deployment } = loadConfig({
      ...production,
      REGISTRY_PROFILE: 'off',
      MORPHO_URL: 'off',
    });
    expect(registry).toEqual(shippedRegistry());
    expect(deployment.discovery.sources.morphoUrl).toBeUndefined();
    expect(deployment.discovery.sources.llamaYieldsUrl).toBe('https://yields.llama.fi');
  });

  it('error: ConfigError for a profile that no vault has', () => {
    expect(problemsOf({ ...production, REGISTRY_PROFILE: 'cor' })).toEqual([
      expect.stringContaining('no vault has the profile cor'),
    ]);
  });

  it('error: ConfigError lists every problem', () => {
    const problems = problemsOf({ ...environment, BASE_RPC_URL: '', PORT: 'abc' });
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).toMatch(/BASE_RPC_URL/);
    expect(problems.join('\n')).toMatch(/server\.port/);
    // Its default contains the port.
    expect(problems.join('\n')).toMatch(/payments\.publicUrl/);
  });

  it('error: ConfigError for a file that is not there', () => {
    expect(problemsOf({ ...environment, YIELD_VAULT_CONFIG: '/nowhere/at/all.yaml' })).toHaveLength(1);
  });

  it('error: ConfigError for an unknown log level', () => {
    expect(problemsOf({ ...environment, LOG_LEVEL: 'loud' })[0]).toContain('must be one of');
  });

  it.each(['{', '{"vaults": [{"chainId": "x"}]}'])('error: ConfigError for the registry %p', (text) => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    writeFileSync(join(folder, 'registry.json'), text);
    writeFileSync(
      join(folder, 'deployment.yaml'),
      `environment: local
database: { directory: ./database }
discovery: { registryFile: ./registry.json }
chains:
  base: { chainId: 8453, name: Base, rpcUrls: ['http://127.0.0.1:1'], explorerUrl: 'https://basescan.org' }
`,
    );
    expect(problemsOf({ YIELD_VAULT_CONFIG: join(folder, 'deployment.yaml') })).not.toEqual([]);
  });
});
