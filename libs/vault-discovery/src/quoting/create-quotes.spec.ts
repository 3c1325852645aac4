import { createActiveChains } from '@yield-vault/chains';
import type { ExitPoint, RankedVault } from '@yield-vault/protocol';
import { buildRankedVault, type FakeRpc } from '@yield-vault/testing';
import type { Hex } from 'viem';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { type QuoteNodeState, startQuoteNode } from '../../test/quoting/start-quote-node.js';
import { createQuotes } from './create-quotes.js';

const sharesOut = 25_000n * 10n ** 18n;
const terms = { amount: '25000', days: 30 };
const gas = { depositGasUsd: 0.03, redeemGasUsd: 0.02 };

const addressOf = (digit: number): Hex => `0x${String(digit).repeat(40)}`;
const apy = { now: 6, week: 6, month: 6 };
const build = (digit: number, change: Partial<RankedVault> = {}) =>
  buildRankedVault({ vaultAddress: addressOf(digit), vaultId: String(digit), apy, ...change });

describe('createQuotes', () => {
  const costs = jest.fn((_chain: string) => Promise.resolve(() => gas));
  let node: FakeRpc;
  let state: QuoteNodeState;
  /** What redeems of a vault pay. */
  let curve: readonly ExitPoint[];

  const start = (vaults: readonly RankedVault[], isStale = false) =>
    createQuotes({
      chains: createActiveChains({ chains: { base: buildChainConfig({ rpcUrls: [node.rpcUrl] }) } }),
      discovery: {
        find: (vaultId) => vaults.find((vault) => vault.vaultId === vaultId),
        best: () => vaults.filter(({ listed }) => listed),
        explain: (vaultId) => {
          const vault = vaults.find((each) => each.vaultId === vaultId)!;
          return Promise.resolve({ ...vault, exit: { ...vault.exit, curve } } as never);
        },
        isStale: () => isStale,
      },
      costs,
    });
  const quoteOf = (change: Partial<RankedVault> = {}, amount = terms.amount) =>
    start([build(1, change)]).quote({ ...terms, vaultId: '1', amount });

  beforeEach(async () => {
    costs.mockClear();
    state = { rates: { 1: 4.6, 2: 4.8, 3: 5.2 }, shares: sharesOut };
    curve = [];
    node = await startQuoteNode(state);
  });
  afterEach(() => node.stop());

  it('default: every field of a quote', async () => {
    expect(await quoteOf({ apy: { now: 4.7, week: 4, month: 4 } })).toEqual({
      ...terms,
      vaultId: '1',
      asset: 'USDC',
      sharesOut: String(sharesOut),
      shareDecimals: 18,
      apyNow: 4.7,
      apyAfter: 4.6,
      exit: { instantUsd: 9_500_000, p10Usd: 9_000_000, method: 'simulated', receivedBps: 10_000 },
      gas: { inUsd: 0.03, outUsd: 0.02 },
      netApy: 4.5975,
      breakEvenDays: expect.closeTo((365 * Math.log(1 + 0.05 / 25_000)) / Math.log(1.046), 6),
      fees: { performancePercent: 10, managementPercent: 0, exitBps: 0 },
      rewards: [],
      warnings: [],
    });
  });

  it.each([
    ['a thin exit', { instantUsd: 10_000 }, null, 4_000],
    ['an exit fee', { instantUsd: 1e6 }, 50, 9_950],
    ['a thin exit with a fee that is taken of it', { instantUsd: 24_900 }, 50, 9_950],
    ['an unknown exit', { instantUsd: null }, 50, null],
  ])('behavior: what %s pays', async (_, exit, exitBps, receivedBps) => {
    const { fees } = build(1);
    const quoted = await quoteOf({ exit: { ...build(1).exit, ...exit }, fees: { ...fees, exitBps } });
    expect(quoted.exit.receivedBps).toBe(receivedBps);
  });

  it('behavior: an exit fee lowers the net APY', async () => {
    const { fees } = build(1);
    const { netApy } = await quoteOf({ fees: { ...fees, exitBps: 100 } });
    const left = 1.046 ** (30 / 365) * 0.99 - 0.05 / 25_000;
    expect(netApy).toBeCloseTo((left ** (365 / 30) - 1) * 100, 3);
  });

  it.each([
    [9_000, 9_990],
    [25_000, 9_910],
    [900_000, 9_900],
  ])(
    'behavior: a redeem of %d USD pays what the next larger one that is paid pays',
    async (usd, receivedBps) => {
      const steps = [
        [10_000, 9_990],
        [100_000, 9_910],
        [640_000, 9_900],
        [1e6, 0],
      ] as const;
      curve = steps.map(([amountUsd, bps]) => ({ amountUsd, receivedBps: bps }));
      const { exit, fees } = await quoteOf({}, String(usd));
      expect([exit.receivedBps, fees.exitBps]).toEqual([receivedBps, 10_000 - receivedBps]);
    },
  );

  it('behavior: what the deposit loses lowers the net APY', async () => {
    state.shares = (sharesOut * 995n) / 1_000n;
    const { netApy, warnings } = await quoteOf();
    const left = 1.046 ** (30 / 365) * 0.995 - 0.05 / 25_000;
    expect(netApy).toBeCloseTo((left ** (365 / 30) - 1) * 100, 3);
    expect(warnings).toEqual([]);
  });

  it('behavior: a deposit that loses more than 1 % fails', async () => {
    state.shares = (sharesOut * 98n) / 100n;
    const { warnings } = await quoteOf();
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'DEPOSIT_FAILS', message: expect.stringContaining('loses 2 %') }),
    ]);
  });

  it('behavior: no higher APY than the vault had', async () => {
    expect(await quoteOf({ apy: { now: 1, week: 3, month: 2 } })).toMatchObject({
      apyAfter: 3,
      warnings: [],
    });
  });

  it('behavior: nothing in USD without a price', async () => {
    const { netApy, breakEvenDays, exit } = await quoteOf({ assetPriceUsd: 0 });
    expect([netApy, breakEvenDays, exit.receivedBps]).toEqual([null, null, null]);
  });

  it('behavior: the APY of the month, diluted, where the share price shows no rate', async () => {
    state.rates[1] = 0;
    const quoted = await quoteOf({ tvlUsd: 75_000, apy: { now: 0, week: 0, month: 4 } });
    expect(quoted).toMatchObject({ apyAfter: 3, sharesOut: String(sharesOut) });
    expect(quoted.warnings.map(({ code }) => code)).toEqual(['APY_ESTIMATED']);
  });

  it('behavior: warns of a deposit that fails, into a vault that is not listed', async () => {
    delete state.rates[1];
    const quoted = await quoteOf({ listed: false, exclusions: ['no-exit'] });
    expect(quoted.sharesOut).toBe('0');
    expect(quoted.warnings).toEqual([
      expect.objectContaining({ code: 'DEPOSIT_FAILS', message: expect.stringContaining('cap reached') }),
      expect.objectContaining({ code: 'VAULT_NOT_LISTED', message: expect.stringContaining('no-exit') }),
      expect.objectContaining({ code: 'APY_ESTIMATED' }),
    ]);
  });

  it.each([['0'], ['0.0000001'], ['1e3']])('error: InvalidParametersError for %s USDC', async (amount) => {
    await expect(quoteOf({}, amount)).rejects.toMatchObject({ code: 'INVALID_PARAMETERS' });
  });

  it('error: UnknownVaultError, DataStaleError', async () => {
    const unknown = { ...terms, vaultId: '7' };
    await expect(start([]).quote(unknown)).rejects.toMatchObject({ code: 'UNKNOWN_VAULT' });
    const stale = start([build(1)], true).quote({ ...terms, vaultId: '1' });
    await expect(stale).rejects.toMatchObject({ code: 'DATA_STALE' });
  });

  describe('alternatives', () => {
    const compare = (vaults: readonly RankedVault[], change: object = {}) =>
      start(vaults).alternatives({ ...terms, vaultId: '1', strategy: 'balanced', ...change });
    const idsOf = (quotes: readonly { readonly vaultId: string }[]) => quotes.map(({ vaultId }) => vaultId);

    it('default: moves to the highest net APY, after the gas of the move and of both exits', async () => {
      const { decision, from, best, candidates, reason } = await compare([build(1), build(2), build(3)]);
      expect(decision).toBe('MOVE');
      expect(from).toMatchObject({ vaultId: '1', gas: { inUsd: 0, outUsd: 0.02 }, apyAfter: 4.6 });
      expect(best).toMatchObject({ vaultId: '3', gas: { inUsd: 0.05, outUsd: 0.02 }, apyAfter: 5.2 });
      expect(idsOf(candidates)).toEqual(['3', '2']);
      expect(reason).toBe(
        'Staying nets 4.599 % a year over 30 days. Moving to vault 3 nets 5.1964 % after 0.07 USD of gas.',
      );
      expect(costs.mock.calls).toEqual([['base']]);
    });

    it.each([
      ['gas eats the gain', { amount: '20', days: 3 }, {}, {}],
      ['the vault cannot pay the amount out', {}, { exit: { ...build(1).exit, instantUsd: 20_000 } }, {}],
      ['the exit of the vault is unknown', {}, { exit: { ...build(1).exit, instantUsd: null } }, {}],
      ['the target takes more when it is left', {}, {}, { fees: { ...build(1).fees, exitBps: 10 } }],
    ])('behavior: stays where %s', async (_, change, source, target) => {
      const { decision, best } = await compare([build(1, source), build(3, target)], change);
      expect([decision, best?.vaultId]).toEqual(['HOLD', '3']);
    });

    it('behavior: never moves into a vault that refuses the deposit', async () => {
      delete state.rates[3];
      const high = { apy: { now: 9, week: 9, month: 9 } };
      const { best, candidates } = await compare([build(1), build(2), build(3, high)]);
      expect([best?.vaultId, ...idsOf(candidates)]).toEqual(['2', '3', '2']);
    });

    it('behavior: breaks even by the gain over the source, after the difference of the exits', async () => {
      const { candidates } = await compare([build(1, { fees: { ...build(1).fees, exitBps: 50 } }), build(3)]);
      const days = (365 * Math.log(1 + 0.05 / 25_000)) / Math.log(1.052 / 1.046);
      expect(candidates[0]!.breakEvenDays).toBeCloseTo(days, 6);
    });

    it('behavior: no riskier than the present vault, unless asked', async () => {
      const vaults = [build(1), build(3, { risk: { score: 60, level: 'high', rating: 'C' } })];
      const decisions = [compare(vaults), compare(vaults, { riskTolerance: 'high' })];
      expect((await Promise.all(decisions)).map(({ decision }) => decision)).toEqual(['HOLD', 'MOVE']);
    });

    it('behavior: quotes no more once the caller left', async () => {
      await expect(
        start([build(1), build(2)]).alternatives(
          { ...terms, vaultId: '1', strategy: 'balanced' },
          AbortSignal.abort(),
        ),
      ).rejects.toThrow(/abort/);
    });

    it.each([24_749, null])(
      'behavior: never moves into a vault that can pay out %s USD',
      async (instantUsd) => {
        const { best } = await compare([
          build(1),
          build(2),
          build(3, { exit: { ...build(1).exit, instantUsd } }),
        ]);
        expect(best?.vaultId).toBe('2');
      },
    );

    it('behavior: five candidates at most, of the same asset and within the risk', async () => {
      state.rates = {};
      const risky = { risk: { score: 60, level: 'high', rating: 'C' } } as const;
      const other = { asset: { ...build(1).asset, address: addressOf(9) } };
      const fitting = [3, 4, 5, 6, 7].map((digit) => build(digit));
      const vaults = [build(1), build(2, risky), build(8, other), ...fitting, build(9)];
      const { decision, best, candidates } = await compare(vaults, { riskTolerance: 'medium' });
      expect(idsOf(candidates)).toEqual(['3', '4', '5', '6', '7']);
      expect([decision, best]).toEqual(['HOLD', null]);
    });
  });
});
