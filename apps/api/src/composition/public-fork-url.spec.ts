import { resolve } from 'node:path';
import { loadConfig } from '../config/load-config.js';
import { publicForkUrl } from './public-fork-url.js';

const own = 'http://10.0.0.7:3100/rpc/base';

function urlWith(env: Record<string, string>): string | undefined {
  const dead = 'http://127.0.0.1:1';
  const { deployment } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../config/staging.yaml'),
    BASE_RPC_URL: dead,
    BASE_BUNDLER_URL: dead,
    ETHEREUM_RPC_URL: dead,
    ETHEREUM_BUNDLER_URL: dead,
    DATABASE_URL: 'postgres://127.0.0.1:1/yield',
    PAYMASTER_OWNER: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    BASE_LOGS_FROM_BLOCK: '1',
    ETHEREUM_LOGS_FROM_BLOCK: '1',
    ...env,
  });
  return publicForkUrl(deployment, () => own, 'base');
}

const atProxy = { PUBLIC_FORK_RPC_BASE_URL: 'https://forks.example.org/' };

describe('publicForkUrl', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['nothing, unless it is switched on', {}, undefined],
    ['the address of the server itself', { PUBLIC_FORK_RPC_URLS: 'true' }, own],
    ['that of a proxy', atProxy, 'https://forks.example.org/rpc/base'],
    ['nothing without testing tools', { ...atProxy, TESTING_ENABLED: 'false' }, undefined],
  ])('behavior: callers are told %s', (_name, env, expected) => {
    expect(urlWith(env)).toBe(expected);
  });
});
