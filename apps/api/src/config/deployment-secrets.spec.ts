import { resolve } from 'node:path';
import { deploymentSecrets } from './deployment-secrets.js';
import { loadConfig } from './load-config.js';

const secretsWith = (env: Record<string, string>) => {
  const { deployment } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../config/staging.yaml'),
    BASE_RPC_URL: 'https://rpc.example.org/v2/base-key,https://other.example.org/v2/other-key',
    BASE_BUNDLER_URL: 'https://bundler.example.org/?apikey=base-bundler',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
    ETHEREUM_BUNDLER_URL: 'http://127.0.0.1:2',
    DATABASE_URL: 'postgres://u:database-password@db/yield',
    REDIS_URL: 'redis://:redis-password@cache:6379',
    PAYMASTER_OWNER: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    BASE_LOGS_FROM_BLOCK: '1',
    ETHEREUM_LOGS_FROM_BLOCK: '1',
    ...env,
  });
  return deploymentSecrets(deployment);
};

const always = [
  '/v2/base-key',
  '/v2/other-key',
  '/?apikey=base-bundler',
  'u:database-password',
  'database-password',
  'redis-password',
];

describe('deploymentSecrets', () => {
  it('default: what URLs hold', () => {
    expect([...secretsWith({})].sort()).toEqual([...always].sort());
  });

  it('behavior: the key of vaults.fyi, and what the URLs of sources hold', () => {
    const secrets = secretsWith({
      VAULTS_FYI_URL: 'https://api.example.org',
      VAULTS_FYI_KEY: 'vaults-key',
      KONG_URL: 'https://kong.example.org/by-key/kong-key',
    });
    expect([...secrets].sort()).toEqual([...always, 'vaults-key', '/by-key/kong-key'].sort());
  });

  it('behavior: what the URL of a paymaster service holds', () => {
    const secrets = secretsWith({
      ETHEREUM_PAYMASTER: 'erc7677',
      ETHEREUM_PAYMASTER_URL: 'https://paymaster.example.org/v2/1/rpc?apikey=paymaster-key',
      ETHEREUM_PAYMASTER_ADDRESS: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    });
    expect([...secrets].sort()).toEqual([...always, '/v2/1/rpc?apikey=paymaster-key'].sort());
  });

  it.each([
    [
      'service',
      {
        FORK_SERVICE_URL: 'http://someone:service-password@forks.example',
        FORK_SERVICE_CREDENTIAL: 'service-credential',
      },
      ['someone:service-password', 'service-password', 'service-credential'],
    ],
    [
      'tenderly',
      { TENDERLY_ACCOUNT: 'account', TENDERLY_PROJECT: 'project', TENDERLY_ACCESS_KEY: 'access-key' },
      ['access-key'],
    ],
  ])('behavior: the credential of the fork provider %s', (provider, env, expected) => {
    const secrets = secretsWith({ FORKS_PROVIDER: provider, ...env });
    expect([...secrets].sort()).toEqual([...always, ...expected].sort());
  });
});
