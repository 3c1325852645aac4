import { resolve } from 'node:path';
import { describeStartFailure, loadConfig, type Deployment } from '@yield-vault/deployment';
import { createForkClient } from '@yield-vault/forks/client';
import { ForksNotConfiguredError } from '@yield-vault/protocol';
import { startFakeRpc } from '@yield-vault/testing';
import { openSimulator, publicForkUrl } from './open-simulator.js';

const ignore = () => undefined;
const logger = { info: ignore, warn: ignore, error: ignore };
const service = { FORK_SERVICE_URL: 'http://127.0.0.1:1', FORK_SERVICE_CREDENTIAL: 'a credential' };

function deploymentWith(env: Record<string, string>): Deployment {
  const dead = 'http://127.0.0.1:1';
  const { deployment } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../../config/local.yaml'),
    BASE_RPC_URL: dead,
    BASE_BUNDLER_URL: dead,
    ETHEREUM_RPC_URL: dead,
    ETHEREUM_BUNDLER_URL: dead,
    ...env,
  });
  return deployment;
}

describe('openSimulator', () => {
  const open = (env: Record<string, string>) => {
    const deployment = deploymentWith({ RELAY_MODE: 'chain', ...env });
    const { forks, chains } = deployment;
    const provider = forks.provider === 'service' ? createForkClient(forks) : undefined;
    return openSimulator(deployment, chains, provider, ignore, logger);
  };

  it('default: nothing where preflight is off', async () => {
    expect(await open({ PREFLIGHT_MODE: 'off' })).toBeUndefined();
  });

  it('error: refuses a chain that no RPC endpoint simulates, without a fork service', async () => {
    const node = await startFakeRpc({ eth_getBalance: () => '0x0' });
    const env = { BASE_RPC_URL: node.rpcUrl };
    try {
      const error: unknown = await open(env).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ForksNotConfiguredError);
      expect(describeStartFailure(error)).toContain('No RPC endpoint of base simulates');
      await (await open({ ...env, ...service }))?.close();
    } finally {
      await node.stop();
    }
  });
});

const ownUrl = 'http://10.0.0.7:3100/rpc/base';

function urlWith(env: Record<string, string>): string | undefined {
  const dead = 'http://127.0.0.1:1';
  const { deployment } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../../config/staging.yaml'),
    BASE_RPC_URL: dead,
    BASE_BUNDLER_URL: dead,
    ETHEREUM_RPC_URL: dead,
    ETHEREUM_BUNDLER_URL: dead,
    DATABASE_URL: 'postgres://127.0.0.1:1/yield',
    PAYMASTER_OWNER: '0x1111111111111111111111111111111111111111',
    BASE_LOGS_FROM_BLOCK: '1',
    ETHEREUM_LOGS_FROM_BLOCK: '1',
    ...env,
  });
  return publicForkUrl(deployment, () => ownUrl, 'base');
}

const atProxy = { PUBLIC_FORK_RPC_BASE_URL: 'https://forks.example.org/' };

describe('publicForkUrl', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['nothing, unless it is switched on', {}, undefined],
    ['the address of the server itself', { PUBLIC_FORK_RPC_URLS: 'true' }, ownUrl],
    ['the URL of a proxy', atProxy, 'https://forks.example.org/rpc/base'],
    ['nothing without testing tools', { ...atProxy, TESTING_ENABLED: 'false' }, undefined],
  ])('behavior: callers receive %s', (_name, env, expected) => {
    expect(urlWith(env)).toBe(expected);
  });
});
