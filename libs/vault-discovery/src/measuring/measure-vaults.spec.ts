import { strategies } from '@yield-vault/protocol';
import fc from 'fast-check';
import { buildExit, buildExitState } from '../../test/build-exit.js';
import { buildMeasureInput, measuredAt } from '../../test/build-measure-input.js';
import { buildCapability } from '../../test/build-stored-report.js';
import { buildHourlySnapshots, buildSnapshot, buildTrackedVault } from '../../test/build-snapshots.js';
import type { ExitSample, StoredReport } from '../ports.js';
import { measureVaults } from './measure-vaults.js';
import type { MeasureInput } from './measurement.js';

const end = measuredAt;
const options = { now: end + 60, minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 };
const measure = (inputs: readonly MeasureInput[]) => measureVaults(inputs, options);
const measureOne = async (overrides: Parameters<typeof buildMeasureInput>[0] = {}): Promise<StoredReport> =>
  (await measure([buildMeasureInput(overrides)]))[0]!;
const hourly = (hours: number, overrides: Parameters<typeof buildHourlySnapshots>[1] = {}) =>
  buildHourlySnapshots({ end, hours }, overrides);
const month = hourly(31 * 24);

/** The price falls or rises from an hour on. */
const scaledFrom = (hour: number, percent: bigint) =>
  month.map((snapshot, index) =>
    index < hour ? snapshot : { ...snapshot, sharePrice: (snapshot.sharePrice * percent) / 100n },
  );
const timeOf = ({ t }: { readonly t: number }) => new Date(t * 1_000).toISOString();
const factorOf = ({ report }: StoredReport, name: string) =>
  report.explanation.risk.factors.find(({ factor }) => factor === name)!;
const floorsOf = ({ report }: StoredReport) => report.explanation.risk.floors.map(({ reason }) => reason);

const numbersOf = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersOf)
      : [];

describe('measureVaults', () => {
  it('default: a healthy vault is listed with its numbers', async () => {
    const { vault, summary, assetPriceUsd, report } = await measureOne();
    expect(vault).toBe(1);
    expect(assetPriceUsd).toBe(1);
    expect(summary).toMatchObject({
      listed: true,
      exclusions: [],
      flags: [],
      tvlUsd: 25_000_000,
      tier: 'prime',
      risk: { level: 'low' },
    });
    expect(summary.apy.now).toBeCloseTo(5, 3);
    expect(summary.sharpe.month).toBeCloseTo(1.914, 2);
    expect(report).toMatchObject({ ...summary, sources: ['test'] });
    expect(report.data).toEqual({
      firstSnapshotAt: '2026-10-18T11:06:40.000Z',
      latestSnapshotAt: '2026-11-18T11:06:40.000Z',
      ageSeconds: 60,
      blockNumber: 744,
      snapshots: 745,
      externalSnapshots: 0,
      gaps: [],
      computedAt: '2026-11-18T11:07:40.000Z',
    });
    expect(report.capability).toMatchObject({
      verdict: 'ok',
      checkedAt: '2026-11-18T10:56:40.000Z',
      sharesOut: '1000000000000000000',
    });
  });

  it('behavior: a reader of the report gets the same numbers', async () => {
    const { summary, report } = await measureOne({
      exit: buildExitState({ checkedAt: end - 600, instant: 5_000_000_000_000n }),
    });
    const { apy, risk, composite, tvl } = report.explanation;
    for (const window of ['now', 'week', 'month'] as const) {
      const { from, to, value, servedBy, quality } = apy[window];
      const elapsed = (Date.parse(to!.timestamp) - Date.parse(from!.timestamp)) / 1_000;
      const yearly = (to!.sharePrice / from!.sharePrice) ** (31_536_000 / elapsed);
      expect((yearly - 1) * 100).toBeCloseTo(value!, 12);
      expect([servedBy, quality]).toEqual([window, 'full']);
    }
    expect(summary.sharePrice).toBeCloseTo(1.05 ** (31 / 365), 9);
    const parts = risk.factors.map(({ weight, value }) => (weight * value) / 100);
    expect(risk.factors.map(({ contribution }) => contribution)).toEqual(parts);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(risk.base, 9);
    const floors = risk.floors.map(({ atLeast }) => atLeast);
    expect(Math.max(risk.base, ...floors)).toBeCloseTo(summary.risk.score, 1);
    expect((Number(tvl.totalAssets) / 1e6) * tvl.priceUsd).toBe(tvl.usd);
    for (const strategy of strategies) {
      expect(composite[strategy].score).toBe(summary.compositeScores[strategy]);
    }
  });

  const simulated = (overrides: Parameters<typeof buildCapability>[0]) => ({
    capability: buildCapability({ checkedAt: end - 600, ...overrides }),
  });
  it.each<[string, Parameters<typeof buildMeasureInput>[0], string[]]>([
    ['a day of history', { snapshots: hourly(24) }, []],
    ['history below a day', { snapshots: hourly(23) }, ['history-under-24h']],
    ['nothing measured', { snapshots: [] }, ['no-snapshot']],
    ['no recent sample', { snapshots: hourly(100).slice(0, -3) }, ['snapshot-too-old']],
    ['little TVL', { snapshots: hourly(100, { totalAssets: 99_999_000_000n }) }, ['tvl-too-low']],
    ['no price', { snapshots: hourly(100, { priceUsd: 0, priceSource: 2 }) }, ['price-unknown']],
    ['more money than exists', { snapshots: hourly(100, { totalAssets: 10n ** 18n }) }, ['implausible']],
    [
      'what the chain contradicts',
      { vault: { ...buildTrackedVault(), contradictions: ['asset', 'share-decimals'] } },
      ['contradicted:asset', 'contradicted:share-decimals'],
    ],
    ['a bad flag', { vault: buildTrackedVault({ flags: ['deprecated', 'curated'] }) }, ['flag:deprecated']],
    ['no simulation', { capability: undefined }, ['not-simulated']],
    ['an old simulation', simulated({ checkedAt: end - 86_400, result: 'paused' }), ['not-simulated']],
    ['a simulation of tomorrow', simulated({ checkedAt: end + 86_400 }), ['not-simulated']],
    ['a closed deposit', simulated({ result: 'deposit-closed' }), ['capability:deposit-closed']],
    [
      'several reasons',
      { snapshots: hourly(23, { totalAssets: 1n }), ...simulated({ result: 'reverts' }) },
      ['history-under-24h', 'tvl-too-low', 'capability:reverts'],
    ],
  ])('behavior: exclusions with %s', async (_, overrides, exclusions) => {
    const { summary } = await measureOne(overrides);
    expect(summary).toMatchObject({ listed: exclusions.length === 0, exclusions });
  });

  const exitOf = (sample: Partial<ExitSample>, previous?: Partial<ExitSample>) => {
    const state = buildExitState({ checkedAt: end - 600, ...sample });
    return { exit: { ...state, previous: previous && buildExit(previous) } };
  };
  const shut = { instant: 124_000_000_000n };
  const unknown = { instant: null, method: 'unknown' } as const;

  it.each<[string, Parameters<typeof buildMeasureInput>[0], string[]]>([
    ['one hour below half a percent', exitOf(shut), []],
    ['two of them', exitOf(shut, shut), ['no-exit']],
    ['two of them by the protocol', exitOf({ ...shut, method: 'protocol' }, shut), ['no-exit']],
    // A lower bound does not show that nobody can leave.
    ['two of them of idle assets', exitOf({ ...shut, method: 'idle' }, shut), []],
    ['half a percent', exitOf({ instant: 125_000_000_000n }, shut), []],
    ['an unknown one after it', exitOf(unknown, shut), ['no-exit']],
    ['it after an unknown one', exitOf(shut, unknown), ['no-exit']],
    ['two unknown ones', exitOf(unknown, unknown), []],
    ['an old measurement', exitOf({ ...shut, checkedAt: end - 11_000 }, shut), []],
    ['an exit for 1 %', exitOf({ exitBps: 100 }), []],
    ['an exit for more', exitOf({ exitBps: 101 }), ['exit-fee']],
    ['a deposit that pays back 99 %', simulated({ assetsOut: 990_000n }), []],
    ['a deposit that pays back less', simulated({ assetsOut: 989_999n }), ['exit-fee']],
  ])('behavior: exit exclusions with %s', async (_, overrides, exclusions) => {
    expect((await measureOne(overrides)).summary.exclusions).toEqual(exclusions);
  });

  it('default: the exit in USD, its curve, its days and the risk of it', async () => {
    const days = [{ t: 1_794_960_000, instant: 4_000_000_000_000n }];
    const exit = {
      ...exitOf({
        instant: 5_000_000_000_000n,
        exitBps: 12,
        curve: [{ assets: 10n ** 12n, receivedBps: 9_988 }],
      }).exit,
      p10: { instant: 10n ** 12n, fraction: 0.04 },
      days,
    };
    const stored = await measureOne({ exit });
    const served = {
      instantUsd: 5_000_000,
      p10Usd: 1_000_000,
      method: 'simulated',
      checkedAt: '2026-11-18T10:56:40.000Z',
    };
    expect(stored.summary).toMatchObject({ exit: served, fees: { exitBps: 12 } });
    expect(stored.report.exit).toEqual({
      ...served,
      instantPercent: 20,
      accrues: true,
      curve: [{ amountUsd: 1_000_000, receivedBps: 9_988 }],
      days: [{ timestamp: '2026-11-18T00:00:00.000Z', instantUsd: 4_000_000 }],
    });
    // The lowest decile of 30 days counts where it is below the part of now.
    expect(factorOf(stored, 'liquidity').value).toBeCloseTo((100 * 0.26) / 0.3, 9);
    expect(stored.gas).toEqual({ deposit: 120_000, redeem: 90_000 });
  });

  it.each([
    ['older than three hours', exitOf({ checkedAt: end - 10_900 })],
    ['never measured', { exit: undefined }],
    ['without a price', { snapshots: hourly(100, { priceUsd: 0, priceSource: 2 }) }],
  ])('behavior: an exit %s has no USD, and is a risk', async (_, overrides) => {
    const stored = await measureOne(overrides);
    expect(stored.summary.exit).toMatchObject({ instantUsd: null, p10Usd: null });
    expect(floorsOf(stored)).toContain('exit-unknown');
  });

  it('behavior: a loss within 30 days makes the risk high and shows in every window', async () => {
    const stored = await measureOne({ snapshots: scaledFrom(600, 97n) });
    expect(stored.summary.risk.level).toBe('high');
    expect(floorsOf(stored)).toContain('loss30d>1%');
    expect(stored.summary.apy.week).toBeLessThan(0);
    expect(stored.report.explanation.maxDrawdown90d).toBeCloseTo(3, 1);
  });

  it('behavior: a donation does not buy a rank, and is reported', async () => {
    const stored = await measureOne({ snapshots: scaledFrom(700, 103n) });
    expect(stored.summary.apy.week).toBeCloseTo(5, 2);
    expect(stored.summary.risk.level).toBe('medium');
    expect(floorsOf(stored)).toEqual(['jump7d']);
    const changePercent: unknown = expect.closeTo(3, 2);
    expect(stored.report.explanation.jumps).toEqual([{ timestamp: timeOf(month[700]!), changePercent }]);
    const calm = await measureOne();
    expect(stored.summary.compositeScores.maximize_apy).toBeLessThan(
      calm.summary.compositeScores.maximize_apy,
    );
  });

  it.each([
    ['feed', 0, true],
    ['assumedPeg', 1, false],
    ['lastGood', 4, true],
  ] as const)(
    'behavior: a lost peg counts by a price that is known: %s',
    async (name, priceSource, counts) => {
      const stored = await measureOne({ snapshots: hourly(31 * 24, { priceUsd: 0.97, priceSource }) });
      expect(stored.report.explanation.tvl).toMatchObject({ priceSource: name, priceUsd: 0.97 });
      expect(floorsOf(stored).includes('depeg>2%')).toBe(counts);
    },
  );

  it('behavior: a euro is not a dollar that lost its peg, and has a rate of its own', async () => {
    const { asset } = buildTrackedVault().entry;
    const stored = await measureOne({
      vault: buildTrackedVault({ asset: { ...asset, symbol: 'EURC' } }),
      snapshots: hourly(31 * 24, { priceUsd: 1.16 }),
    });
    expect(floorsOf(stored)).toEqual([]);
    expect(stored.report.explanation.sharpe.riskFreeRate).toBe(2);
  });

  it.each([
    ['2026-09-01', ['incident<90d']],
    ['2026-01-01', []],
  ])('behavior: an incident of %s', async (lastIncident, floors) => {
    const { facts } = buildTrackedVault().entry;
    const stored = await measureOne({ vault: buildTrackedVault({ facts: { ...facts, lastIncident } }) });
    expect(floorsOf(stored)).toEqual(floors);
  });

  it('behavior: a stale fact counts as unknown, so that the score gets worse', async () => {
    const evidence = [{ facts: ['admin', 'audits'] as const, source: 'a report', date: '2025-10-01' }];
    const fresh = await measureOne();
    const stale = await measureOne({ vault: buildTrackedVault({ evidence }) });
    expect(factorOf(stale, 'audit').isKnown).toBe(false);
    expect(stale.summary.governance).toMatchObject({ admin: null, timelockSeconds: null });
    expect(stale.summary.risk.score).toBeGreaterThan(fresh.summary.risk.score);
  });

  it('behavior: rewards stand apart until their campaign ends', async () => {
    const until = (seconds: number) => ({
      token: buildTrackedVault().entry.asset.address,
      symbol: 'USDC',
      apr: 900,
      endsAt: timeOf({ t: options.now + seconds }),
      source: 'merkl',
    });
    const [plain, rewarded] = [
      await measureOne(),
      await measureOne({ vault: buildTrackedVault({ rewards: [until(1), until(0)] }) }),
    ];
    expect(rewarded.summary).toEqual({ ...plain.summary, rewards: [until(1)] });
    expect(rewarded.report.rewards).toEqual([until(1)]);
  });

  it('behavior: an unknown input counts as its worst value and is reported as unknown', async () => {
    const stored = await measureOne({ vault: buildTrackedVault({ facts: {}, firstSeen: 'soon' }) });
    const audit = { weight: 8, input: null, value: 100, isKnown: false, contribution: 8 };
    expect(factorOf(stored, 'audit')).toMatchObject(audit);
    expect(factorOf(stored, 'age').isKnown).toBe(false);
    expect(stored.report.explanation.risk.coverage).toBe(40);
  });

  it('behavior: gaps are reported, the one that still lasts included', async () => {
    const snapshots = month.filter((_, index) => (index < 500 || index > 505) && index < 740);
    const { report } = await measureOne({ snapshots });
    expect(report.data.gaps).toEqual([
      { from: report.data.latestSnapshotAt, until: report.data.computedAt },
      { from: timeOf(month[499]!), until: timeOf(month[506]!) },
    ]);
  });
});

describe('samples of an external chart', () => {
  const external = (hours: number) =>
    month.map((snapshot, index) =>
      index < month.length - hours ? { ...snapshot, origin: 1 as const } : snapshot,
    );

  it('default: stand in for the month, and are counted', async () => {
    const { report } = await measureOne({ snapshots: external(49) });
    const { apy, sharpe, volatility } = report.explanation;
    expect(report.data).toMatchObject({ snapshots: 49, externalSnapshots: 696 });
    expect(report.data.firstSnapshotAt).toBe(new Date((end - 48 * 3_600) * 1_000).toISOString());
    expect(apy.month).toMatchObject({ servedBy: 'month', quality: 'full' });
    expect(apy.month.from!.timestamp).toBe(new Date((end - 30 * 86_400) * 1_000).toISOString());
    expect(apy.week).toMatchObject({ value: null, servedBy: 'month' });
    expect(apy.now).toMatchObject({ servedBy: 'now' });
    expect([sharpe.weekObservations, sharpe.monthObservations, volatility]).toEqual([2, 2, null]);
    expect(report.explanation.composite.balanced.quality).toBe(0.75);
  });

  it('behavior: are no evidence: a vault with nothing else fails the gate of a day', async () => {
    const { summary, report } = await measureOne({ snapshots: external(24) });
    expect(summary.exclusions).toEqual(['history-under-24h']);
    expect(report.explanation.maxDrawdown90d).toBeNull();
    const nothingElse = await measureOne({ snapshots: external(0) });
    expect(nothingElse.summary.exclusions).toEqual(['no-snapshot']);
  });

  it('behavior: are replaced once the chain covers a month', async () => {
    const { report } = await measureOne({ snapshots: external(15 * 24) });
    expect(report.explanation.apy.month).toMatchObject({ servedBy: 'month', quality: 'partial' });
  });
});

describe('the other vaults of a chain', () => {
  const address = (id: number) => `0x${id.toString(16).padStart(40, '0')}` as const;
  const paying = (id: number, apyPercent: number, usd: bigint, overrides = {}) =>
    buildMeasureInput({
      vault: buildTrackedVault({ address: address(id), ...overrides }, id),
      snapshots: buildHourlySnapshots(
        { end, hours: 192, apyPercent },
        { vault: id, totalAssets: usd * 1_000_000n },
      ),
    });
  const other = fc.record({
    apyPercent: fc.double({ min: -20, max: 200, noNaN: true }),
    usd: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  });
  const others = fc.array(other, { maxLength: 5 });

  it('default: an APY far above the one of the large ones is suspicious', async () => {
    const generous = paying(1, 40, 1_500_000n);
    const reports = await measure([generous, paying(2, 5, 25_000_000n)]);
    expect(reports[0]!.summary.risk.level).toBe('high');
    expect(floorsOf(reports[0]!)).toContain('apy>3x-benchmark');
    expect(reports[0]!.report.explanation.benchmarkApy).toBeGreaterThan(5);
  });

  it('behavior: one whose data is no good is no benchmark', async () => {
    const generous = paying(1, 40, 1_500_000n);
    const [alone] = await measure([generous]);
    const nonsense = [
      paying(2, 5, 767_000_000_000n),
      paying(3, 5, 25_000_000n, { flags: ['deprecated'] }),
      paying(4, 5, 999_999n),
    ];
    expect((await measure([generous, ...nonsense]))[0]).toEqual(alone);
  });

  it('behavior: do not matter but for the benchmark of their kind', async () => {
    const wrapped = { facts: { assetClass: 'wrapped_btc' } };
    await fc.assert(
      fc.asyncProperty(other, others, async (own, rest) => {
        const vault = paying(1, own.apyPercent, own.usd);
        const [alone] = await measure([vault]);
        const ofOtherKind = rest.map(({ apyPercent, usd }, index) =>
          paying(index + 2, apyPercent, usd, wrapped),
        );
        const small = rest.map(({ apyPercent }, index) => paying(index + 20, apyPercent, 999_000n));
        expect((await measure([vault, ...ofOtherKind, ...small]))[0]).toEqual(alone);
      }),
      { numRuns: 20 },
    );
  });
});

describe('any state of the chain', () => {
  const word = fc.oneof(
    fc.constantFrom(0n, 1n, 10n ** 12n, 2n ** 255n, 2n ** 256n - 1n),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  );
  const snapshots = fc
    .array(
      fc.record({
        pause: fc.integer({ min: 1, max: 50_000 }),
        sharePrice: word,
        totalAssets: word,
        priceUsd: fc.constantFrom(0, 1, 0.5, 1e-300, 1e300, NaN),
        origin: fc.constantFrom(0 as const, 1 as const),
      }),
      { maxLength: 80 },
    )
    .map((steps) => {
      let t = end;
      return steps.map(({ pause, ...measured }) => buildSnapshot({ t: (t -= pause), ...measured })).reverse();
    });

  it('behavior: every number is finite', async () => {
    await fc.assert(
      fc.asyncProperty(snapshots, fc.integer({ min: 0, max: 36 }), async (given, decimals) => {
        const { asset } = buildTrackedVault().entry;
        const vault = buildTrackedVault({ asset: { ...asset, decimals } });
        const stored = await measureOne({ vault, snapshots: given });
        expect(numbersOf(stored).filter((number) => !Number.isFinite(number))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
