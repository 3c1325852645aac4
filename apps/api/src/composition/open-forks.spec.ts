import { resolve } from 'node:path';
import type { Deployment } from '@yield-vault/chains';
import { ForksNotConfiguredError } from '@yield-vault/protocol';
import { loadConfig } from '../config/load-config.js';
import { openForks, type OpenForks } from './open-forks.js';

const ignore = () => undefined;
const logger = { info: ignore, warn: ignore, error: ignore };
const service = { FORK_SERVICE_URL: 'http://127.0.0.1:1', FORK_SERVICE_CREDENTIAL: 'a credential' };

function deploymentWith(env: Record<string, string>): Deployment {
  const dead = 'http://127.0.0.1:1';
  const { deployment } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../config/local.yaml'),
    BASE_RPC_URL: dead,
    BASE_BUNDLER_URL: dead,
    ETHEREUM_RPC_URL: dead,
    ETHEREUM_BUNDLER_URL: dead,
    ...env,
  });
  return deployment;
}

let forks: OpenForks;
afterEach(() => forks.port.close());

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
    forks = await openForks(deploymentWith(env), logger);
    expect({
      simulates: forks.simulator !== undefined,
      managed: forks.areConfigured,
      wallets: Object.keys(forks.walletChains),
    }).toEqual(expected);
  });

  it('behavior: wallets act on the addresses of the fork service', async () => {
    forks = await openForks(deploymentWith(service), logger);
    expect(Object.values(forks.walletChains).map(({ rpcUrls }) => rpcUrls)).toEqual([
      ['http://127.0.0.1:1/rpc/base'],
      ['http://127.0.0.1:1/rpc/ethereum'],
    ]);
  });

  it('behavior: forks of its own answer at an address of its own, which goes with them', async () => {
    forks = await openForks(deploymentWith({ FORKS_PROVIDER: 'anvil', FORKS_STATE_DIRECTORY: '' }), logger);
    const [url = ''] = forks.walletChains['base']?.rpcUrls ?? [];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/rpc\/base$/);
    const ask = () => fetch(url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"anvil_reset"}' });
    expect((await ask()).status).toBe(200);
    await forks.port.close();
    await expect(ask()).rejects.toThrow();
  });

  it('behavior: nothing is counted before its first use', async () => {
    forks = await openForks(deploymentWith({}), logger);
    expect(await forks.port.list()).toEqual([]);
    expect([forks.port.waiting(), forks.port.shadow()]).toEqual([0, {}]);
  });

  it('error: ForksNotConfiguredError for a confirmation without forks', async () => {
    forks = await openForks(deploymentWith({}), logger);
    await expect(forks.confirm('base', 1)).rejects.toBeInstanceOf(ForksNotConfiguredError);
  });
});
