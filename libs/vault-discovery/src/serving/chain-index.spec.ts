import { type DiscoverRequest, riskLevels, strategies } from '@yield-vault/protocol';
import fc from 'fast-check';
import { buildSummaryRow } from '../../test/build-summary.js';
import { compareVaultIds } from '../measuring/measurement.js';
import type { SummaryRow } from '../ports.js';
import { createChainIndex } from './chain-index.js';

const index = createChainIndex;
const scores = (score: number) => ({ maximize_apy: score, balanced: score, minimize_risk: score });
const all: DiscoverRequest = { chain: 'base', strategy: 'balanced', limit: 20 };

/** What discover means, written as plainly as possible. */
function plainly(rows: readonly SummaryRow[], query: DiscoverRequest): string[] {
  const { asset, riskTolerance = 'high', minApy = -Infinity, strategy, limit } = query;
  return rows
    .map(({ summary }) => summary)
    .filter(({ listed }) => listed)
    .filter((vault) => asset === undefined || vault.asset.symbol.toUpperCase() === asset.toUpperCase())
    .filter(({ risk }) => riskLevels.indexOf(risk.level) <= riskLevels.indexOf(riskTolerance))
    .filter(({ apy }) => apy.now >= minApy)
    .sort(
      (a, b) =>
        b.compositeScores[strategy] - a.compositeScores[strategy] ||
        b.tvlUsd - a.tvlUsd ||
        (BigInt(a.vaultId) < BigInt(b.vaultId) ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ vaultId }) => vaultId);
}

const idsOf = (vaults: readonly { readonly vaultId: string }[]) => vaults.map(({ vaultId }) => vaultId);
const assetOf = (symbol: string) => ({ ...buildSummaryRow(1).summary.asset, symbol });

const anyRow = (vault: number) =>
  fc
    .record({
      symbol: fc.constantFrom('USDC', 'usdc', 'WETH', 'EURC'),
      level: fc.constantFrom(...riskLevels),
      now: fc.integer({ min: -20, max: 20 }),
      // Few values, so that ties happen.
      score: fc.integer({ min: 0, max: 5 }),
      other: fc.double({ min: 0, max: 100, noNaN: true }),
      tvlUsd: fc.integer({ min: 1, max: 3 }),
      listed: fc.boolean(),
    })
    .map(({ symbol, level, now, score, other, tvlUsd, listed }) =>
      buildSummaryRow(vault, {
        asset: assetOf(symbol),
        risk: { score: 10, level, rating: 'A' },
        apy: { now, week: 1, month: 1 },
        compositeScores: { maximize_apy: score, balanced: other, minimize_risk: 100 - score },
        tvlUsd,
        listed,
      }),
    );

const anyRows = fc
  .integer({ min: 0, max: 300 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, vault) => anyRow(vault + 1))));

const anyQuery: fc.Arbitrary<DiscoverRequest> = fc
  .record({
    strategy: fc.constantFrom(...strategies),
    asset: fc.constantFrom(undefined, 'USDC', 'weth', 'DAI'),
    riskTolerance: fc.constantFrom(undefined, ...riskLevels),
    minApy: fc.constantFrom(undefined, 0, 5, 21),
    limit: fc.integer({ min: 1, max: 20 }),
  })
  .map((query) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    return { chain: 'base', ...Object.fromEntries(given) } as DiscoverRequest;
  });

describe('createChainIndex', () => {
  it('default: the element of a discover response', () => {
    const { summary } = buildSummaryRow(1, { compositeScores: scores(68.36789) });
    const [candidate] = index([buildSummaryRow(1, summary)]).select(all);
    const { vaultId, vaultAddress, name, protocol, chain, apy, risk, sharpe, tvlUsd, tier } = summary;
    expect(candidate).toEqual({
      vaultId,
      vaultAddress,
      name,
      protocol,
      chain,
      apy,
      risk,
      riskCoverage: 100,
      exitUsd: 9_500_000,
      sharpe,
      tvlUsd,
      tier,
      asset: 'USDC',
      assetAddress: summary.asset.address,
      assetDecimals: 6,
      compositeScore: 68.37,
    });
  });

  it('behavior: answers as a plain filter and sort would', () => {
    fc.assert(
      fc.property(anyRows, fc.array(anyQuery, { minLength: 20, maxLength: 20 }), (rows, queries) => {
        const indexed = index(rows);
        for (const query of queries) {
          const { strategy, asset = 'usdc' } = query;
          expect(idsOf(indexed.select(query))).toEqual(plainly(rows, query));
          const best = plainly(rows, { chain: 'base', strategy, asset, limit: rows.length });
          expect(idsOf(indexed.best(asset, strategy))).toEqual(best);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('behavior: ranks by the exact score and rounds afterwards', () => {
    const rows = [1, 2].map((vault) =>
      buildSummaryRow(vault, { compositeScores: scores(60 + vault / 1_000) }),
    );
    const response = index(rows).select(all);
    expect(response.map(({ compositeScore }) => compositeScore)).toEqual([60, 60]);
    expect(response[0]!.vaultId).toBe(rows[1]!.summary.vaultId);
  });

  it('behavior: a vault that is not listed is found, and in no ranking', () => {
    const row = buildSummaryRow(1, { listed: false, exclusions: ['paused'] });
    const indexed = index([row, buildSummaryRow(2)]);
    expect(indexed.find(row.summary.vaultId)).toMatchObject({
      storeId: 1,
      exclusions: ['paused'],
      assetPriceUsd: 1,
    });
    expect(indexed.select(all)).toHaveLength(1);
    expect(indexed.best('usdc', 'balanced')).toHaveLength(1);
    expect(indexed.all).toHaveLength(2);
    expect(indexed.listedCount).toBe(1);
  });
});

describe('compareVaultIds', () => {
  it('default: orders digits as integers', () => {
    const ids = ['18446744073709551615', '9', '10', '0', '11', '18446744073709551614'];
    const sorted = ['0', '9', '10', '11', '18446744073709551614', '18446744073709551615'];
    expect(ids.sort(compareVaultIds)).toEqual(sorted);
    expect(compareVaultIds('7', '7')).toBe(0);
  });
});
