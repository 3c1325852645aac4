import { resolve } from 'node:path';
import type { ChainConfig } from '@yield-vault/chains';
import { describeStartFailure, loadConfig, type Deployment } from '@yield-vault/deployment';
import { ForksNotConfiguredError } from '@yield-vault/protocol';
import { startFakeRpc } from '@yield-vault/testing';
import { openForks, publicForkUrl, walletChains, type ManagedForks } from './open-forks.js';

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

const openForksOf = (env: Record<string, string>) => openForks(deploymentWith(env), ignore, logger);

let forks: ManagedForks | undefined;
afterEach(async () => {
  await forks?.port.close();
  forks = undefined;
});

describe('openForks', () => {
  it.each<[string, Record<string, string>, { simulates: boolean; managed: boolean; wallets: string[] }]>([
    ['a fork service', service, { simulates: true, managed: true, wallets: ['base', 'ethereum'] }],
    ['nothing', {}, { simulates: true, managed: false, wallets: [] }],
    [
      'nothing, wallets on the chains',
      { RELAY_MODE: 'chain' },
      { simulates: true, managed: false, wallets: ['base', 'ethereum'] },
    ],
    [
      'nothing, preflight off',
      { RELAY_MODE: 'chain', PREFLIGHT_MODE: 'off' },
      { simulates: false, managed: false, wallets: ['base', 'ethereum'] },
    ],
  ])('default: forks from %s', async (_name, env, expected) => {
    forks = await openForksOf(env);
    expect({
      simulates: forks.simulator !== undefined,
      managed: forks.areConfigured,
      wallets: Object.keys(forks.walletChains),
    }).toEqual(expected);
  });

  it('behavior: wallets act on the addresses of the fork service', async () => {
    forks = await openForksOf(service);
    expect(Object.values(forks.walletChains).map(({ rpcUrls }) => rpcUrls)).toEqual([
      ['http://127.0.0.1:1/rpc/base'],
      ['http://127.0.0.1:1/rpc/ethereum'],
    ]);
  });

  it('behavior: nothing is counted before its first use', async () => {
    forks = await openForksOf({});
    expect(await forks.port.list()).toEqual([]);
    expect(forks.port.waiting()).toBe(0);
  });

  it('error: ForksNotConfiguredError for a confirmation without forks', async () => {
    forks = await openForksOf({});
    await expect(forks.confirm('base', 1)).rejects.toBeInstanceOf(ForksNotConfiguredError);
  });

  it('error: refuses a chain that no RPC endpoint simulates, without a fork service', async () => {
    const node = await startFakeRpc({ eth_getBalance: () => '0x0' });
    const env = { RELAY_MODE: 'chain', BASE_RPC_URL: node.rpcUrl };
    try {
      const error: unknown = await openForksOf(env).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ForksNotConfiguredError);
      expect(describeStartFailure(error)).toContain('No RPC endpoint of base simulates');
      await (await openForksOf({ ...env, PREFLIGHT_MODE: 'off' })).port.close();
      forks = await openForksOf({ ...env, ...service });
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
    PAYMASTER_OWNER: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
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

const config = (relayMode: ChainConfig['relayMode'], rpcUrl: string) =>
  ({ relayMode, rpcUrls: [rpcUrl], name: rpcUrl }) as unknown as ChainConfig;
const base = config('managed-fork', 'http://base.example');
const ethereum = config('chain', 'http://ethereum.example');
const deployment = { chains: { base, ethereum } };

describe('walletChains', () => {
  it('default: a managed fork stands in for its chain', () => {
    const urlOf = (chain: string) => `http://forks.example/rpc/${chain}`;
    expect(walletChains(deployment, urlOf)).toEqual({
      base: { ...base, rpcUrls: ['http://forks.example/rpc/base'] },
      ethereum,
    });
  });

  it('behavior: without forks, a chain that needs one is nothing wallets can act on', () => {
    expect(walletChains(deployment, undefined)).toEqual({ ethereum });
  });
});
