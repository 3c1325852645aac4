import type { DiscoverRequest, ListedVault } from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { buildHourlySnapshots, buildSnapshot, buildTrackedVault } from '../../test/build-snapshots.js';
import { rankVaults } from './chain-ranking.js';
import { measureVaults, type VaultRecord } from './measure-vaults.js';
import { selectCandidates } from './select-candidates.js';

const end = 1_795_000_000;
const options = { now: end + 60, minTvlUsd: 100_000 };
const record = (overrides: Partial<VaultRecord> = {}): VaultRecord => ({
  vault: buildTrackedVault(),
  snapshots: buildHourlySnapshots({ end, hours: 31 * 24 }),
  obstacle: undefined,
  ...overrides,
});
const measureOne = (overrides: Partial<VaultRecord> = {}): ListedVault =>
  measureVaults([record(overrides)], options)[0]!;

const numbersOf = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersOf)
      : [];

describe('measureVaults', () => {
  it('default: a healthy vault is listed with its numbers', () => {
    const vault = measureOne();
    expect(vault).toMatchObject({
      ...{ listed: true, exclusions: [], tvlUsd: 25_000_000, assetPriceUsd: 1, tier: 'prime' },
      risk: { level: 'low' },
    });
    expect(vault.apy.now).toBeCloseTo(5, 3);
    expect(vault.sharpe.month).toBeCloseTo(1.914, 2);
  });

  it.each<[string, Partial<VaultRecord>, string[]]>([
    ['nothing measured', { snapshots: [] }, ['no-snapshot']],
    ['history below a day', { snapshots: buildHourlySnapshots({ end, hours: 23 }) }, ['history-under-24h']],
    [
      'no sample for three hours',
      { snapshots: buildHourlySnapshots({ end: end - 10_900, hours: 100 }) },
      ['snapshot-too-old'],
    ],
    [
      'little TVL',
      { snapshots: buildHourlySnapshots({ end, hours: 100 }, { totalAssets: 99_999_000_000n }) },
      ['tvl-too-low'],
    ],
    [
      'no price',
      { snapshots: buildHourlySnapshots({ end, hours: 100 }, { priceUsd: 0, priceSource: 2 }) },
      ['price-unknown'],
    ],
    [
      'more money than exists',
      { snapshots: buildHourlySnapshots({ end, hours: 100 }, { totalAssets: 10n ** 18n }) },
      ['implausible'],
    ],
    ['a deposit that reverts', { obstacle: 'deposit-reverts' }, ['deposit-reverts']],
    ['a bad flag', { vault: buildTrackedVault({ flags: ['deprecated', 'curated'] }) }, ['flag:deprecated']],
  ])('behavior: not listed with %s', (_, overrides, exclusions) => {
    const vault = measureOne(overrides);
    expect(vault.listed).toBe(false);
    expect(vault.exclusions).toEqual(exclusions);
  });

  it('behavior: a vault at exactly a day of history is listed', () => {
    expect(measureOne({ snapshots: buildHourlySnapshots({ end, hours: 24 }) }).listed).toBe(true);
  });

  it('behavior: every number is finite, whatever the chain says', () => {
    const broken = [
      [],
      [buildSnapshot({ t: end, sharePrice: 0n, totalAssets: 0n, totalSupply: 0n })],
      buildHourlySnapshots({ end, hours: 800 }, { sharePrice: 0n }),
      buildHourlySnapshots(
        { end, hours: 800 },
        { totalAssets: 2n ** 256n - 1n, sharePrice: 2n ** 256n - 1n },
      ),
      buildHourlySnapshots({ end, hours: 800 }).map((snapshot, index) =>
        index % 7 === 0 ? { ...snapshot, sharePrice: index % 2 === 0 ? 0n : 2n ** 255n } : snapshot,
      ),
    ];
    for (const snapshots of broken) {
      const vault = measureOne({ snapshots });
      expect(numbersOf(vault).filter((number) => !Number.isFinite(number))).toEqual([]);
    }
  });

  it('behavior: a loss within 30 days makes the risk high', () => {
    const snapshots = buildHourlySnapshots({ end, hours: 31 * 24 }).map((snapshot, index) =>
      index > 600 ? { ...snapshot, sharePrice: (snapshot.sharePrice * 97n) / 100n } : snapshot,
    );
    expect(measureOne({ snapshots }).risk.level).toBe('high');
  });

  it('behavior: a donation does not buy a rank', () => {
    const snapshots = buildHourlySnapshots({ end, hours: 31 * 24 }).map((snapshot, index) =>
      index > 700 ? { ...snapshot, sharePrice: (snapshot.sharePrice * 103n) / 100n } : snapshot,
    );
    const donated = measureOne({ snapshots });
    expect(donated.apy.week).toBeCloseTo(5, 2);
    expect(donated.risk.level).toBe('medium');
    expect(donated.compositeScores.maximize_apy).toBeLessThan(measureOne().compositeScores.maximize_apy);
  });

  it('behavior: an asset that lost its peg makes the risk high; an assumed peg is not judged', () => {
    const at = (priceSource: 0 | 1) =>
      measureOne({
        snapshots: buildHourlySnapshots({ end, hours: 31 * 24 }, { priceUsd: 0.97, priceSource }),
      });
    expect(at(0).risk.level).toBe('high');
    expect(at(1).risk.level).toBe('low');
  });

  it('behavior: an APY far above that of the large vaults is suspicious', () => {
    const large = record({
      vault: buildTrackedVault({ address: '0x4000000000000000000000000000000000000004' }, 2),
    });
    const generous = record({
      snapshots: buildHourlySnapshots(
        { end, hours: 31 * 24, apyPercent: 40 },
        { totalAssets: 1_500_000_000_000n },
      ),
    });
    const [suspicious] = measureVaults([generous, large], options);
    expect(suspicious!.risk.level).toBe('high');
  });
});

const scored = (name: string, score: number, overrides: Partial<ListedVault> = {}) =>
  buildListedVault({
    name,
    vaultId: name,
    compositeScores: { maximize_apy: score, balanced: score, minimize_risk: 100 - score },
    ...overrides,
  });
const names = (vaults: readonly { name: string }[]) => vaults.map(({ name }) => name);

describe('rankVaults', () => {
  it('default: by score, then TVL, then id as an integer; unlisted vaults only in the catalogue', () => {
    const ranking = rankVaults([
      scored('10', 50),
      scored('9', 50),
      scored('1', 50, { tvlUsd: 1 }),
      scored('2', 60),
      scored('3', 99, { listed: false }),
    ]);
    expect(names(ranking.byStrategy.balanced)).toEqual(['2', '9', '10', '1']);
    expect(names(ranking.byStrategy.minimize_risk)).toEqual(['9', '10', '1', '2']);
    expect(ranking.all).toHaveLength(5);
    expect(ranking.byId.get('3')?.listed).toBe(false);
  });
});

describe('selectCandidates', () => {
  const medium = { risk: { score: 40, level: 'medium', rating: 'B' } } as const;
  const ranking = rankVaults([
    scored('1', 50.004),
    scored('2', 50.0049, medium),
    scored('3', 70, { asset: { ...buildListedVault().asset, symbol: 'WETH' } }),
    scored('4', 10, {
      risk: { score: 60, level: 'high', rating: 'C' },
      apy: { now: 9.99, week: 1, month: 1 },
    }),
  ]);
  const select = (query: Partial<DiscoverRequest>) =>
    names(selectCandidates(ranking, { chain: 'base', strategy: 'balanced', limit: 20, ...query }));

  it('default: everything, rounded only after sorting', () => {
    const candidates = selectCandidates(ranking, { chain: 'base', strategy: 'balanced', limit: 20 });
    expect(names(candidates)).toEqual(['3', '2', '1', '4']);
    expect(candidates.map(({ compositeScore }) => compositeScore)).toEqual([70, 50, 50, 10]);
    expect(Object.keys(candidates[0]!).sort()).toEqual(
      [
        ...[
          'apy',
          'asset',
          'chain',
          'compositeScore',
          'name',
          'protocol',
          'risk',
          'sharpe',
          'tier',
          'tvlUsd',
        ],
        ...['vaultAddress', 'vaultId'],
      ].sort(),
    );
  });

  it('behavior: limit', () => expect(select({ limit: 1 })).toEqual(['3']));
  it('behavior: asset in any case', () => expect(select({ asset: 'usdC' })).toEqual(['2', '1', '4']));
  it('behavior: risk tolerance keeps that level and below', () => {
    expect(select({ riskTolerance: 'low' })).toEqual(['3', '1']);
    expect(select({ riskTolerance: 'medium' })).toEqual(['3', '2', '1']);
    expect(select({ riskTolerance: 'high' })).toEqual(['3', '2', '1', '4']);
  });
  it('behavior: minimum APY, inclusive', () => {
    expect(select({ minApy: 5 })).toHaveLength(4);
    expect(select({ minApy: 9.99 })).toEqual(['4']);
  });
  it('behavior: no match', () => expect(select({ asset: 'DAI' })).toEqual([]));
});
