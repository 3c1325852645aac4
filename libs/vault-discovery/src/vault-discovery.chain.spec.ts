import { type ActiveChains, createActiveChains } from '@yield-vault/chains';
import { localRegistry, localVaults, provisionLocalChain } from '@yield-vault/testing/local';
import { openDatabase, startJobs, type DatabaseHandle } from '@yield-vault/database';
import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import { vaultIdOf } from '@yield-vault/protocol';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestClient, http, numberToHex } from 'viem';
import { buildChainConfig } from '../test/build-chain-config.js';
import { parseRegistry } from './catalogue/parse-registry.js';
import type { VaultDiscovery } from './types.js';
import type { DiscoveryOptions } from './discovery-schema.js';
import { createVaultDiscovery, createVaultSampler } from './vault-discovery.js';

jest.setTimeout(180_000);

const pastDays = 12;
const chainId = 8453;
// Without the vault whose views are expensive: they take minutes of a local chain, and no test here is about them.
const vaults = localVaults[chainId].filter(({ kind }) => kind !== 'gas-bomb');
const registry = parseRegistry(localRegistry()).filter((entry) =>
  vaults.some(({ address }) => address === entry.address),
);

let anvil: Anvil;
let chains: ActiveChains;

const options: DiscoveryOptions = {
  sampleIntervalSeconds: 1,
  followIntervalSeconds: 1,
  backfillHours: 720,
  maxRankingAgeSeconds: 10_800,
  minTvlUsd: 100_000,
};

const testClient = () => createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
const mine = (t: number) =>
  testClient().request({ method: 'evm_mine', params: [numberToHex(Math.floor(t))] } as never);

/** One block at every half hour until now: an uneven chain, as a devnet makes it. */
async function liveThroughThePast(from: number): Promise<void> {
  for (let t = from + 1_800; t < Date.now() / 1_000 - 5; t += 1_800) await mine(t);
  await mine(Date.now() / 1_000);
}

beforeAll(async () => {
  const genesis = Math.floor(Date.now() / 1_000) - pastDays * 86_400;
  anvil = await startAnvil({ chainId, args: ['--timestamp', String(genesis)] });
  await provisionLocalChain(testClient() as never, chainId);
  await liveThroughThePast(genesis + 3_600);
  chains = createActiveChains({ chains: { base: buildChainConfig({ rpcUrls: [anvil.rpcUrl] }) } });
});
afterAll(() => anvil?.stop());

/** Discovery that samples, too. */
function create(database: DatabaseHandle) {
  const deps = { chains, database, registry, options };
  const discovery = createVaultDiscovery(deps);
  const sampler = createVaultSampler(deps);
  const ranking = startJobs(() => [discovery.job]);
  const sampling = startJobs((signal) => sampler.begin(signal), { leader: { database, name: 'sampler' } });
  const stop = async () => {
    await Promise.all([ranking.stop(), sampling.stop()]);
  };
  return { discovery, isSampling: sampling.isLeader, stop };
}

/** Resolves once it holds; the test ends by its own limit when it never does. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

const rankedIds = (discovery: VaultDiscovery) =>
  discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 }).vaults.map(({ vaultId }) => vaultId);

describe('createVaultDiscovery', () => {
  let database: DatabaseHandle;
  let discovery: VaultDiscovery;
  let stop: () => Promise<void>;
  let steadyId: string;

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
    ({ discovery, stop } = create(database));
    await until(() => discovery.isRanked('base'));
    steadyId = vaultIdOf(chainId, vaults.find(({ kind }) => kind === 'steady')!.address);
    // The first ranking does not wait for the whole past.
    await until(
      async () => (await discovery.history({ vaultId: steadyId, period: '30d' })).data.length >= 11,
    );
  });
  afterAll(async () => {
    await stop?.();
    await database?.close();
  });

  it('default: ranks the vaults of the chain by score', () => {
    const response = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    expect(response).toMatchObject({ chain: 'base', chainId, strategy: 'balanced' });
    expect(response.count).toBe(response.vaults.length);
    expect(response.count).toBeGreaterThanOrEqual(6);
    const scores = response.vaults.map((vault) => vault.compositeScore);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(JSON.stringify(response)).not.toContain('null');
  });

  it('behavior: measures the APY that the chain pays, and prices assets by its feeds', () => {
    for (const vault of vaults.filter(({ kind }) => kind === 'steady' || kind === 'zero-limit')) {
      const found = discovery.find(vaultIdOf(chainId, vault.address))!;
      expect(found.apy.now).toBeCloseTo(vault.apyPercent, 1);
      expect(found.apy.week).toBeCloseTo(vault.apyPercent, 1);
    }
    const priceOf = (symbol: string) =>
      discovery.list('base').find(({ asset }) => asset.symbol === symbol)?.assetPriceUsd;
    expect([priceOf('USDC'), priceOf('WETH')]).toEqual([1, 3_200]);
  });

  it('behavior: an entry that the chain contradicts is reported apart', () => {
    expect(discovery.rejected()).toMatchObject([
      { chain: 'base', reason: expect.stringContaining('asset() is') as string },
    ]);
    expect(discovery.chainStates()).toMatchObject([
      { chain: 'base', vaults: discovery.list('base').length, rejected: 1 },
    ]);
  });
});

const replicas = () => {
  let temporary: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let databases: DatabaseHandle[];

  beforeEach(async () => {
    temporary = await createTemporaryPostgres();
    databases = await Promise.all([1, 2].map(() => openDatabase({ url: temporary.url })));
  });
  afterEach(async () => {
    for (const database of databases) await database.close();
    await temporary.drop();
  });

  it('default: one of two samples, both serve the same; when it stops the other one continues', async () => {
    const servers = databases.map((database) => create(database));
    await until(() => servers.every(({ discovery }) => discovery.isRanked('base')));
    servers.sort((a, b) => Number(b.isSampling()) - Number(a.isSampling()));
    expect(servers.map(({ isSampling }) => isSampling())).toEqual([true, false]);
    const [leader, follower] = servers.map(({ discovery }) => discovery) as [VaultDiscovery, VaultDiscovery];
    const freshAs = async (t: number) => {
      await mine(t);
      const isFresh = (one: VaultDiscovery) => Date.parse(one.freshness().latestSnapshotAt!) >= t * 1_000;
      await until(() => isFresh(follower));
      return isFresh;
    };
    await freshAs(Math.floor(Date.now() / 1_000));
    await until(() => follower.list('base').length === leader.list('base').length);
    expect(follower.rejected()).toEqual(leader.rejected());

    await servers[0]!.stop();
    await until(servers[1]!.isSampling);
    await freshAs(Math.floor(Date.now() / 1_000) + 1);
    expect(rankedIds(follower).length).toBeGreaterThan(0);
    await servers[1]!.stop();
  });
};

// Without a server the suite says so in its title and only checks that it did not overlook one.
describe(
  isPostgresReachable()
    ? 'createVaultDiscovery in two processes'
    : 'createVaultDiscovery in two processes (PostgreSQL not reachable: not run)',
  isPostgresReachable()
    ? replicas
    : () => {
        it('is still not reachable', () => expect(isPostgresReachable()).toBe(false));
      },
);
