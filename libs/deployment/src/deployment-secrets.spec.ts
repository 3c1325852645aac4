import { generateKeyPairSync } from 'node:crypto';
import { resolve } from 'node:path';
import { deploymentSecrets, secretsOf } from './deployment-secrets.js';
import { loadConfig } from './load-config.js';

const secretsWith = (env: Record<string, string>) => {
  const { deployment } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../config/staging.yaml'),
    BASE_RPC_URL: 'https://rpc.example.org/v2/base-key,https://other.example.org/v2/other-key',
    BASE_BUNDLER_URL: 'https://bundler.example.org/?apikey=base-bundler,https://b.example.org/v3/second-key',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
    ETHEREUM_BUNDLER_URL: 'http://127.0.0.1:2',
    DATABASE_URL: 'postgres://u:database-password@db/yield',
    REDIS_URL: 'redis://:redis-password@cache:6379',
    PAYMASTER_OWNER: '0x1111111111111111111111111111111111111111',
    BASE_LOGS_FROM_BLOCK: '1',
    ETHEREUM_LOGS_FROM_BLOCK: '1',
    ...env,
  });
  return deploymentSecrets(deployment);
};

const always = [
  '/v2/base-key',
  'base-key',
  '/v2/other-key',
  'other-key',
  '/?apikey=base-bundler',
  'base-bundler',
  '/v3/second-key',
  'second-key',
  'u:database-password',
  'database-password',
  'redis-password',
];

describe('deploymentSecrets', () => {
  it('default: credentials in URLs', () => {
    expect([...secretsWith({})].sort()).toEqual([...always].sort());
  });

  it('behavior: credentials in the URLs of sources', () => {
    const secrets = secretsWith({ MORPHO_URL: 'https://morpho.example.org/by-key/morpho-key' });
    expect([...secrets].sort()).toEqual([...always, '/by-key/morpho-key', 'morpho-key'].sort());
  });

  it('behavior: credentials in the URL of a paymaster service', () => {
    const secrets = secretsWith({
      ETHEREUM_PAYMASTER: 'erc7677',
      ETHEREUM_PAYMASTER_URL: 'https://paymaster.example.org/v2/1/rpc?apikey=paymaster-key',
      ETHEREUM_PAYMASTER_ADDRESS: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    });
    expect([...secrets].sort()).toEqual(
      [...always, '/v2/1/rpc?apikey=paymaster-key', 'paymaster-key'].sort(),
    );
  });

  it('behavior: the key of the keeper', () => {
    const key = `0x${'11'.repeat(32)}`;
    expect(secretsWith({ KEEPER_KEY: key })).toContain(key);
  });

  it('behavior: each line of the key of a facilitator, because logs escape the ends of lines', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ format: 'pem', type: 'sec1' }).toString();
    const secrets = secretsWith({
      PAYMENTS: 'on',
      PAYMENTS_PAY_TO: '0x1111111111111111111111111111111111111111',
      PUBLIC_URL: 'https://service.example.org',
      FACILITATOR_URL: 'https://facilitator.example.org',
      CDP_API_KEY_ID: 'public-name',
      CDP_API_KEY_SECRET: pem,
    });
    expect(secrets).toEqual(expect.arrayContaining(pem.trim().split('\n')));
    expect(secrets).not.toContain('');
  });

  it('behavior: the credential of the fork service', () => {
    const secrets = secretsWith({
      FORK_SERVICE_URL: 'http://someone:service-password@forks.example',
      FORK_SERVICE_CREDENTIAL: 'service-credential',
    });
    const expected = ['someone:service-password', 'service-password', 'service-credential'];
    expect([...secrets].sort()).toEqual([...always, ...expected].sort());
  });
});

describe('secretsOf', () => {
  it('default: passwords, and the paths where providers put keys', () => {
    expect(
      secretsOf([
        'https://rpc.example.org/v2/abcdef0123456789',
        'postgres://user:hunter2@db.example.org/yield',
        'https://bundler.example.org/?network=ethereum&apikey=top-secret',
      ]),
    ).toEqual([
      '/?network=ethereum&apikey=top-secret',
      '/v2/abcdef0123456789',
      'abcdef0123456789',
      'user:hunter2',
      'top-secret',
      'hunter2',
    ]);
  });

  it.each(['postgres://user:hunter2@/yield?host=/run', 'socket://user:hunter2@/run?db=yield'])(
    'behavior: the password of a database without host, %s',
    (url) => {
      expect(secretsOf([url])).toEqual(expect.arrayContaining(['user:hunter2', 'hunter2']));
    },
  );

  it('behavior: a plain address is no secret', () => {
    expect(
      secretsOf(['http://127.0.0.1:8545', 'http://127.0.0.1:8545/rpc', undefined, '', 'nonsense']),
    ).toEqual([]);
  });
});
