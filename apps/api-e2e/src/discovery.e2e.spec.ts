import { chainFacts } from '@yield-vault/contracts';
import {
  localVaults,
  realiseLoss,
  setPaused,
  type LocalVaultDefinition,
  type LocalVaultKind,
} from '@yield-vault/testing/local';
import { strategies, vaultIdOf, type VaultReport, type VaultSummary } from '@yield-vault/protocol';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { readMetric } from '../test/support/read-metric.js';
import { recomputeApy, recomputeComposite, recomputeRisk } from '../test/support/recompute.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

const idOf = ({ chainId, address }: LocalVaultDefinition) => vaultIdOf(chainId, address);
/** The one of its kind on a chain. */
const vaultOf = (chainId: 1 | 8453, kind: LocalVaultKind, asset = 'USDC') =>
  localVaults[chainId].find((vault) => vault.kind === kind && vault.asset === asset)!;
const everyVault = [...localVaults[8453], ...localVaults[1]];

// This file changes vaults on Ethereum; the other files use Base.
const hurt = localVaults[1].find(({ name }) => name === 'Kestrel USDC Growth')!;
const pausable = vaultOf(1, 'paused');

/** Why vaults of a kind are not offered. */
const exclusions: Partial<Record<LocalVaultKind, string>> = {
  async: 'capability:async',
  whitelist: 'capability:whitelist',
  minimum: 'capability:below-minimum',
  paused: 'capability:paused',
  impostor: 'flag:impostor-name',
  mislabelled: 'contradicted:asset',
  'gas-bomb': 'snapshot-too-old',
  frozen: 'no-exit',
  locked: 'capability:reverts',
};
/** The capped vault of Ethereum is full. */
const exclusionOf = ({ kind, chainId }: LocalVaultDefinition) =>
  kind === 'capped' && chainId === 1 ? 'capability:deposit-closed' : exclusions[kind];

describe('discovery on chains that go on', () => {
  let server: Server;
  let api: ApiClient;
  const { ethereum } = devnetChains();

  const reportOf = (vault: LocalVaultDefinition) => api.explain(idOf(vault));
  const discoveredIds = async (chain: string) =>
    (await api.discover({ chain, strategy: 'maximize_apy', limit: 20 })).vaults.map(({ vaultId }) => vaultId);

  beforeAll(async () => {
    server = await startServer({
      backfillHours: 11 * 24,
      discovery: { sampleIntervalSeconds: 2, probeIntervalSeconds: 2 },
    });
    api = await createApiClient(server.url);
  }, 90_000);
  afterAll(() => server?.stop());

  it('default: page by page, each vault of the registry once, by id, offered or with the reason why not', async () => {
    const vaults: VaultSummary[] = [];
    let cursor: string | null = null;
    do {
      const page = await api.vaults({ limit: '7', ...(cursor !== null && { cursor }) });
      expect(page.count).toBe(page.vaults.length);
      vaults.push(...page.vaults);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const ids = everyVault.map(idOf).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
    expect(vaults.map(({ vaultId }) => vaultId)).toEqual(ids);

    for (const vault of everyVault) {
      const { listed, exclusions: seen } = vaults.find(({ vaultId }) => vaultId === idOf(vault))!;
      const reason = exclusionOf(vault);
      const expected = reason === undefined ? [] : (expect.arrayContaining([reason]) as string[]);
      expect([vault.name, listed, seen]).toEqual([vault.name, reason === undefined, expected]);
    }
    for (const chain of ['base', 'ethereum']) {
      const listed = vaults.filter((vault) => vault.chain === chain && vault.listed);
      expect((await discoveredIds(chain)).sort()).toEqual(listed.map(({ vaultId }) => vaultId).sort());
    }
  });

  it('behavior: a reader gets the same risk, scores, APYs and TVL from a report alone, which agrees with the list', async () => {
    const { vaults } = await api.vaults({ limit: '100' });
    for (const summary of vaults) {
      const report = await api.explain(summary.vaultId);
      expect([report.vaultAddress, report.exclusions]).toEqual([summary.vaultAddress, summary.exclusions]);
      expect(report.sources.length).toBeGreaterThan(0);
      if (summary.listed) expect(report.data.ageSeconds).toBeLessThan(60);
      expectRecomputable(report);
    }
  });

  it('behavior: hours without a sample are reported, not filled', async () => {
    const { data } = await reportOf(vaultOf(8453, 'gap'));
    const hours = data.gaps.map(({ from, until: end }) => (Date.parse(end) - Date.parse(from)) / 3_600_000);
    expect(hours.map((length) => length >= 30 && length < 33)).toEqual([true]);
    const steady = await reportOf(vaultOf(8453, 'steady'));
    expect(steady.data.gaps).toEqual([]);
    expect(steady.data.snapshots - data.snapshots).toBeGreaterThanOrEqual(29);
  });

  it('behavior: a vault that the chain contradicts has the facts of the chain, and the operator can count it', async () => {
    const mislabelled = vaultOf(8453, 'mislabelled', 'WETH');
    const { asset } = await reportOf(mislabelled);
    expect(asset).toEqual({ symbol: 'WETH', address: chainFacts(8453).wrappedNative.address, decimals: 18 });
    const count = (state: string) => readMetric(server.url, 'yield_vault_vaults', { chain: 'base', state });
    const { total } = await api.vaults({ chain: 'base', listed: 'true' });
    const counts = await Promise.all(['rejected', 'listed', 'unlisted'].map(count));
    expect(counts).toEqual([1, total, localVaults[8453].length - total]);
    expect(server.log()).toContain(mislabelled.name);
  });

  it('behavior: a loss of 2 % shows at once in APY, risk and rank', async () => {
    const before = await reportOf(hurt);
    const order = await discoveredIds('ethereum');
    await realiseLoss(ethereum, hurt, 0.02);
    const after = await until(
      () => reportOf(hurt),
      ({ apy }) => apy.now < before.apy.now - 1,
    );
    expect(after.apy.week).toBeLessThan(-50);
    expect(after.risk.level).toBe('high');
    expect(after.explanation.risk.floors).toContainEqual({ reason: 'loss30d>1%', atLeast: 55 });
    expect(after.explanation.maxDrawdown90d).toBeCloseTo(2, 1);
    expectRecomputable(after);
    // The ranking follows the report within a few seconds.
    await until(
      () => discoveredIds('ethereum'),
      (ids) => ids.indexOf(idOf(hurt)) > order.indexOf(idOf(hurt)),
    );
    const careful = await api.discover({ chain: 'ethereum', riskTolerance: 'medium', limit: 20 });
    expect(careful.vaults.map(({ vaultId }) => vaultId)).not.toContain(idOf(hurt));
  }, 90_000);

  it('behavior: a vault that opens is offered, and gone within a minute once it is paused', async () => {
    const untilOffered = (expected: boolean) =>
      until(
        async () => (await discoveredIds('ethereum')).includes(idOf(pausable)),
        (isOffered) => isOffered === expected,
      );
    await setPaused(ethereum, pausable, false);
    await untilOffered(true);
    expect((await reportOf(pausable)).capability?.verdict).toBe('ok');
    await setPaused(ethereum, pausable, true);
    await untilOffered(false);
  }, 150_000);
});

function expectRecomputable(report: VaultReport): void {
  const { name, explanation, compositeScores, risk, tier, tvlUsd, asset } = report;
  const recomputed = recomputeRisk(report);
  const near = (a: number, b: number, most: number) => Math.abs(a - b) <= most;
  const { score, ...words } = recomputed;
  expect([name, near(score, risk.score, 0.050001)]).toEqual([name, true]);
  expect({ ...words, values: undefined }).toEqual({
    coverage: explanation.risk.coverage,
    values: undefined,
    level: risk.level,
    rating: risk.rating,
    tier,
  });
  for (const { factor, value } of explanation.risk.factors)
    expect([name, factor, near(recomputed.values[factor]!, value, 1e-6)]).toEqual([name, factor, true]);
  for (const strategy of strategies) {
    const ours = recomputeComposite(report, strategy);
    expect([name, strategy, near(ours, compositeScores[strategy], 0.01) || ours]).toEqual([
      name,
      strategy,
      true,
    ]);
  }
  for (const apy of Object.values(explanation.apy)) {
    const ours = recomputeApy(apy);
    // A window without enough history has samples to show, and no value.
    if (apy.value !== null) expect(near(ours!, apy.value, 1e-6 * Math.abs(apy.value) + 1e-9)).toBe(true);
  }
  const usd = (Number(explanation.tvl.totalAssets) / 10 ** asset.decimals) * explanation.tvl.priceUsd;
  expect(near(usd, tvlUsd, 0.01)).toBe(true);
}
