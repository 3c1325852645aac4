import { openDatabase } from '@yield-vault/database';
import { vaultIdOf, type VaultSummary } from '@yield-vault/protocol';
import { createDatabaseReportStore, createDatabaseSnapshotStore } from '@yield-vault/vault-discovery';
import { getAddress } from 'viem';
import { buildDeposit, buildRedeem } from '../support/build-requests.js';
import { buildVaultReport, buildVaultSummary } from '../support/build-responses.js';
import { newFolder, startDownApp } from '../support/start-down-app.js';

/** A server whose worker is gone: Base was last sampled four hours ago, Ethereum a minute ago. */
let app: Awaited<ReturnType<typeof startDownApp>>;

const seconds = Math.floor(Date.now() / 1_000);
const newestSnapshots = { base: seconds - 4 * 3_600, ethereum: seconds - 60 };
const base = buildVaultSummary({ listed: true, exclusions: [], flags: [] });
const ethereum = buildVaultSummary({
  chain: 'ethereum',
  chainId: 1,
  listed: true,
  exclusions: [],
  flags: [],
  vaultId: vaultIdOf(1, getAddress(base.vaultAddress)),
});

async function writeAsSampler(directory: string): Promise<void> {
  const database = await openDatabase({ directory });
  const reports = createDatabaseReportStore(database);
  for (const summary of [base, ethereum] as readonly VaultSummary[]) {
    const { vaultId, chainId, chain } = summary;
    const address = getAddress(summary.vaultAddress);
    const ids = await createDatabaseSnapshotStore(database).register([{ vaultId, chainId, address }]);
    const newestSnapshot = newestSnapshots[chain as keyof typeof newestSnapshots];
    const latestSnapshotAt = new Date(newestSnapshot * 1_000).toISOString();
    const full = buildVaultReport({
      ...summary,
      exit: { ...summary.exit, instantPercent: null, accrues: null, curve: [], days: [] },
    });
    const report = { ...full, data: { ...full.data, latestSnapshotAt } };
    const gas = { deposit: 0, redeem: 0 };
    const stored = { vault: ids.get(vaultId)!, summary, assetPriceUsd: 1, gas, report };
    await reports.save(chainId, newestSnapshot, [stored], []);
  }
  await database.close();
}

beforeAll(async () => {
  const folder = newFolder();
  await writeAsSampler(folder);
  app = await startDownApp({ RELAY_MODE: 'chain' }, { worker: 'external' }, folder);
  while ((await post('/v1/yield/discover', { chain: 'ethereum' })).statusCode !== 200)
    await new Promise((later) => setTimeout(later, 20));
}, 60_000);
afterAll(() => app.stop(), 30_000);

const get = (url: string) => app.get(url);
const post = (url: string, payload: object) => app.post(url, payload);
const codeOf = (response: { json<T>(): T }) => response.json<{ code?: string }>().code;

describe('createApp while no sampler writes', () => {
  it('error: DataStaleError with Retry-After for a deposit and a rebalance on the stale chain', async () => {
    for (const body of [buildDeposit(), buildRedeem({ operation: 'rebalance', percentage: undefined })]) {
      const refused = await post('/v1/yield/prepare', body);
      expect([refused.statusCode, codeOf(refused)]).toEqual([503, 'DATA_STALE']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('behavior: a redeem, and a deposit on the fresh chain, are not refused for that', async () => {
    // Both fail later, at the chains that are down.
    expect(codeOf(await post('/v1/yield/prepare', buildRedeem()))).toBe('UPSTREAM_UNAVAILABLE');
    const fresh = buildDeposit({ chain: 'ethereum', vaultId: ethereum.vaultId });
    expect(codeOf(await post('/v1/yield/prepare', fresh))).toBe('UPSTREAM_UNAVAILABLE');
  }, 60_000);

  it('behavior: discover still responds; health and explain show the age', async () => {
    const { vaults } = (await post('/v1/yield/discover', {})).json<{ vaults: { vaultId: string }[] }>();
    expect(vaults.map(({ vaultId }) => vaultId)).toEqual([base.vaultId]);
    expect((await get('/health')).json()).toMatchObject({
      status: 'degraded',
      freshness: {
        snapshotFreshnessStatus: 'stale',
        latestSnapshotAt: new Date(newestSnapshots.base * 1_000).toISOString(),
      },
    });
    const { data } = (await get(`/v1/yield/vaults/${base.vaultId}`)).json<{ data: { ageSeconds: number } }>();
    expect(data.ageSeconds).toBeGreaterThanOrEqual(4 * 3_600);
    const metrics = (await get('/metrics')).body;
    expect(metrics).toMatch(/yield_vault_snapshot_age_seconds\{chain="base"\} 14[4-9]\d\d/);
  });
});
