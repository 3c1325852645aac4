import { canonical } from '@yield-vault/contracts';
import { localVaults, type LocalVaultDefinition } from '@yield-vault/testing/local';
import { donateToVault, readProgress, realiseLoss, setPaused, setRoom } from '@yield-vault/devnet';
import { strategies, vaultIdOf, type VaultReport, type VaultSummary } from '@yield-vault/protocol';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { readMetric } from '../test/support/read-metric.js';
import { recomputeApy, recomputeComposite, recomputeRisk } from '../test/support/recompute.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

const chainIds = [8453, 1] as const;
const keys = { 8453: 'base', 1: 'ethereum' } as const;
const idOf = ({ chainId, address }: LocalVaultDefinition) => vaultIdOf(chainId, address);
/** The one of its kind on a chain. */
const vaultOf = (chainId: 1 | 8453, kind: LocalVaultDefinition['kind'], asset = 'USDC') =>
  localVaults[chainId].find((vault) => vault.kind === kind && vault.asset === asset)!;
const everyVault = chainIds.flatMap((chainId) => localVaults[chainId]);

// This file changes vaults on Ethereum; the other files use Base.
const donated = localVaults[1].find(({ name }) => name === 'Tidewater USDC Core')!;
const hurt = localVaults[1].find(({ name }) => name === 'Kestrel USDC Growth')!;
const pausable = vaultOf(1, 'paused');
const capped = vaultOf(1, 'capped');

describe('discovery on chains that go on', () => {
  let server: Server;
  let api: ApiClient;
  const { ethereum } = devnetChains();

  const reportOf = (vault: LocalVaultDefinition) => api.explain(idOf(vault));
  const discoveredIds = async (chain: string) =>
    (await api.discover({ chain, strategy: 'maximize_apy', limit: 20 })).vaults.map(({ vaultId }) => vaultId);
  const isDiscovered = async (vault: LocalVaultDefinition) =>
    (await discoveredIds(keys[vault.chainId])).includes(idOf(vault));

  beforeAll(async () => {
    server = await startServer({
      backfillHours: 11 * 24,
      discovery: { sampleIntervalSeconds: 2, probeIntervalSeconds: 2 },
    });
    api = await createApiClient(server.url);
  }, 90_000);
  afterAll(() => server?.stop());

  it('behavior: the log says how far the backfill is', () => {
    expect(readProgress(server.log())).toMatch(/^(base|ethereum): reading past hours, \d+ %, \d+ s left$/);
  });

  describe('GET /v1/yield/vaults', () => {
    const readAll = async (query: Readonly<Record<string, string>>) => {
      const vaults: VaultSummary[] = [];
      let cursor: string | null = null;
      do {
        const page = await api.vaults({ ...query, ...(cursor !== null && { cursor }) });
        expect(page.count).toBe(page.vaults.length);
        vaults.push(...page.vaults);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return vaults;
    };

    it('default: page by page, each vault of the registry once, by id', async () => {
      const vaults = await readAll({ limit: '7' });
      const ids = vaults.map(({ vaultId }) => vaultId);
      const ascending = [...ids].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
      expect(ids).toEqual(ascending);
      expect(new Set(ids)).toEqual(new Set(everyVault.map(idOf)));
      const { total, nextCursor } = await api.vaults({ limit: '100' });
      expect([total, nextCursor]).toEqual([everyVault.length, null]);
    });

    it('behavior: filters, and the reasons of excluded vaults', async () => {
      const unlisted = await readAll({ chain: 'base', listed: 'false', limit: '3' });
      expect(unlisted.length).toBeGreaterThan(3);
      for (const { exclusions } of unlisted) expect(exclusions).not.toEqual([]);
      const listed = await readAll({ chain: 'base', listed: 'true', asset: 'usdc' });
      for (const { asset, exclusions } of listed) expect([asset.symbol, exclusions]).toEqual(['USDC', []]);
      const named = (await api.discover({ chain: 'base', asset: 'USDC', limit: 20 })).vaults;
      expect(named.map(({ vaultId }) => vaultId).sort()).toEqual(listed.map(({ vaultId }) => vaultId).sort());
    });

    it.each([
      ['limit=101', 'limit'],
      ['listed=yes', 'listed'],
      ['cursor=bm9uc2Vuc2U', 'cursor'],
      ['page=2', 'page'],
    ])('error: InvalidParametersError for ?%s', async (query, field) => {
      const { status, body } = await api.refused('GET', `/v1/yield/vaults?${query}`);
      expect([status, body.code]).toEqual([400, 'INVALID_PARAMETERS']);
      expect(JSON.stringify(body.details)).toContain(field);
    });

    it('error: ChainNotActiveError', async () => {
      const { status, body } = await api.refused('GET', '/v1/yield/vaults?chain=solana');
      expect([status, body.code]).toEqual([400, 'CHAIN_NOT_ACTIVE']);
    });
  });

  describe('GET /v1/yield/vaults/{vaultId}', () => {
    it('default: agrees with the list about each vault, and explains its numbers', async () => {
      const { vaults } = await api.vaults({ limit: '100' });
      for (const summary of vaults) {
        const { exclusions, data, sources, vaultAddress } = await api.explain(summary.vaultId);
        expect([vaultAddress, exclusions]).toEqual([summary.vaultAddress, summary.exclusions]);
        expect(sources.length).toBeGreaterThan(0);
        if (summary.listed) expect(data.ageSeconds).toBeLessThan(60);
      }
    });

    it.each([
      ['0', 404, 'NOT_FOUND'],
      ['99999999999999999999', 404, 'NOT_FOUND'],
      ['-1', 400, 'INVALID_PARAMETERS'],
      ['0x1', 400, 'INVALID_PARAMETERS'],
      ['1?full=true', 400, 'INVALID_PARAMETERS'],
    ])('error: /%s is %d %s', async (path, expected, code) => {
      const { status, body } = await api.refused('GET', `/v1/yield/vaults/${path}`);
      expect([status, body.code]).toEqual([expected, code]);
    });

    it('behavior: a reader gets the same risk, scores, APYs and TVL from the response alone', async () => {
      const reports = await Promise.all(everyVault.map(reportOf));
      for (const report of reports) expectRecomputable(report);
    });
  });

  describe('vaults of every kind', () => {
    it.each([
      ['async', 8453, ['capability:async']],
      ['whitelist', 8453, ['capability:whitelist']],
      ['minimum', 8453, ['capability:below-minimum']],
      ['paused', 8453, ['capability:paused']],
      ['async', 1, ['capability:async']],
      ['paused', 1, ['capability:paused']],
    ] as const)('behavior: %s on %s is not offered, with the reason', async (kind, chainId, exclusions) => {
      const report = await reportOf(vaultOf(chainId, kind));
      expect([report.listed, report.exclusions]).toEqual([false, exclusions]);
      expect(`capability:${report.capability?.verdict}`).toBe(exclusions[0]);
      expect(report.capability?.failedStep).not.toBeNull();
      expect(await isDiscovered(vaultOf(chainId, kind))).toBe(false);
    });

    it.each([
      ['steady', 8453],
      ['faster', 8453],
      ['lossy', 8453],
      ['capped', 8453],
      ['exit-fee', 8453],
      ['zero-limit', 8453],
      ['gap', 8453],
    ] as const)('behavior: %s on %s is offered', async (kind, chainId) => {
      const report = await reportOf(vaultOf(chainId, kind));
      expect([report.exclusions, report.capability?.verdict]).toEqual([[], 'ok']);
      expect(await isDiscovered(vaultOf(chainId, kind))).toBe(true);
    });

    it.each(chainIds)('behavior: hours without a sample on %s are reported, not filled', async (chainId) => {
      const { data, explanation } = await reportOf(vaultOf(chainId, 'gap'));
      const hours = data.gaps.map(({ from, until: end }) => (Date.parse(end) - Date.parse(from)) / 3_600_000);
      expect(hours).toHaveLength(1);
      expect(hours[0]).toBeGreaterThanOrEqual(30);
      expect(hours[0]).toBeLessThan(33);
      const steady = await reportOf(vaultOf(chainId, 'steady'));
      expect(steady.data.gaps).toEqual([]);
      expect(steady.data.snapshots - data.snapshots).toBeGreaterThanOrEqual(29);
      expect(explanation.sharpe.weekObservations).toBeLessThan(steady.explanation.sharpe.weekObservations);
    });

    it.each(chainIds)(
      'behavior: a vault on %s with the name of another vault is not offered',
      async (chainId) => {
        const impostor = await reportOf(vaultOf(chainId, 'impostor'));
        const original = await reportOf(vaultOf(chainId, 'steady'));
        expect(impostor.name).toBe(original.name);
        expect(impostor.vaultAddress).not.toBe(original.vaultAddress);
        expect([impostor.listed, impostor.exclusions]).toEqual([false, ['flag:impostor-name']]);
        expect(impostor.flags).toContain('impostor-name');
        expect([original.listed, original.flags]).toEqual([true, []]);
        // It promises three times as much, and a rank by yield alone would begin with it.
        expect(impostor.apy.week).toBeGreaterThan(2 * original.apy.week);
        expect(await isDiscovered(vaultOf(chainId, 'impostor'))).toBe(false);
      },
    );

    it('behavior: a vault that the chain contradicts is not offered, and the operator can count it', async () => {
      const mislabelled = vaultOf(8453, 'mislabelled', 'WETH');
      const { listed, exclusions, asset } = await reportOf(mislabelled);
      expect([listed, exclusions[0]]).toEqual([false, 'contradicted:asset']);
      expect(asset).toEqual({ symbol: 'WETH', address: canonical.weth[8453], decimals: 18 });
      expect(await isDiscovered(mislabelled)).toBe(false);
      const count = (state: string) => readMetric(server.url, 'yield_vault_vaults', { chain: 'base', state });
      expect(await count('rejected')).toBe(1);
      const { total } = await api.vaults({ chain: 'base', listed: 'true' });
      expect(await count('listed')).toBe(total);
      expect(await count('unlisted')).toBe(localVaults[8453].length - total);
      expect(server.log()).toContain(mislabelled.name);
    });

    it('behavior: a vault that burns too much gas gets no new snapshots and is excluded', async () => {
      const { exclusions, data } = await reportOf(vaultOf(8453, 'gas-bomb'));
      expect(exclusions).toContain('snapshot-too-old');
      expect(Date.now() - Date.parse(data.latestSnapshotAt!)).toBeGreaterThan(3 * 3_600_000);
    });
  });

  describe('changes of a vault', () => {
    it('behavior: a donation of 3 % raises its risk, not its weekly APY', async () => {
      const before = await reportOf(donated);
      expect(before.explanation.jumps).toEqual([]);
      await donateToVault(ethereum, donated, 0.03);
      const after = await until(
        () => reportOf(donated),
        ({ explanation }) => explanation.jumps.length > 0,
      );
      // As it stands: 3 % in a week are 365 % a year and more.
      expect(after.explanation.jumps).toHaveLength(1);
      expect(after.explanation.jumps[0]!.changePercent).toBeCloseTo(3, 1);
      expect(after.apy.week - before.apy.week).toBeLessThan(0.1);
      expect(after.apy.now - before.apy.now).toBeLessThan(0.5);
      expect(after.explanation.risk.floors).toContainEqual({ reason: 'jump7d', atLeast: 46 });
      expect(after.risk.score).toBe(Math.max(46, before.risk.score));
      expect(after.compositeScores.balanced).toBeLessThan(before.compositeScores.balanced);
      // The chain decides what a share pays.
      expect(Number(after.explanation.tvl.totalAssets)).toBeGreaterThan(
        1.029 * Number(before.explanation.tvl.totalAssets),
      );
      expectRecomputable(after);
    }, 90_000);

    it('behavior: a loss of 2 % shows at once in APY, risk and rank', async () => {
      const before = await reportOf(hurt);
      const order = await discoveredIds('ethereum');
      await realiseLoss(ethereum, hurt, 0.02);
      const after = await until(
        () => reportOf(hurt),
        ({ apy }) => apy.now < before.apy.now - 1,
      );
      expect(after.apy.week).toBeLessThan(-50);
      expect(after.apy.now).toBeLessThan(-99);
      expect(after.risk.level).toBe('high');
      expect(after.explanation.risk.floors).toContainEqual({ reason: 'loss30d>1%', atLeast: 55 });
      expect(after.explanation.maxDrawdown90d).toBeCloseTo(2, 1);
      expect(after.explanation.jumps).toEqual(before.explanation.jumps);
      // The ranking follows the report within a few seconds.
      await until(
        () => discoveredIds('ethereum'),
        (ids) => ids.indexOf(idOf(hurt)) > order.indexOf(idOf(hurt)),
      );
      const careful = await api.discover({ chain: 'ethereum', riskTolerance: 'medium', limit: 20 });
      expect(careful.vaults.map(({ vaultId }) => vaultId)).not.toContain(idOf(hurt));
      expectRecomputable(after);
    }, 90_000);

    it('behavior: a vault that opens is offered, and gone within a minute once it is paused', async () => {
      await setPaused(ethereum, pausable, false);
      await until(() => isDiscovered(pausable), Boolean);
      expect((await reportOf(pausable)).capability?.verdict).toBe('ok');
      await setPaused(ethereum, pausable, true);
      await until(
        () => isDiscovered(pausable),
        (isOffered) => !isOffered,
      );
      expect((await reportOf(pausable)).exclusions).toEqual(['capability:paused']);
    }, 150_000);

    it('behavior: a full vault is offered as long as it has room', async () => {
      const full = await reportOf(capped);
      expect([full.exclusions, full.capability?.failedStep]).toEqual([
        ['capability:deposit-closed'],
        'deposit',
      ]);
      await setRoom(ethereum, capped, 1_000);
      await until(() => isDiscovered(capped), Boolean);
      await setRoom(ethereum, capped, capped.room!);
      await until(
        () => isDiscovered(capped),
        (isOffered) => !isOffered,
      );
      expect((await reportOf(capped)).exclusions).toEqual(['capability:deposit-closed']);
    }, 150_000);
  });

  it('behavior: no list of the catalogue and its reports was empty in every response', () => {
    expect(api.alwaysEmptyLists()).toEqual([]);
  });
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
