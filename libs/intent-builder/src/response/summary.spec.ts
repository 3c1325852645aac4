import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest, buildSnapshot } from '../../test/build-request.js';
import type { CheckedRequest, WalletSnapshot } from '../types.js';
import { summarise, type SummaryFacts } from './summary.js';

const facts: SummaryFacts = {
  minOut: 10n ** 18n,
  costs: { gasUsd: 0.98, exitGasUsd: 0.9, breakEvenDays: 550.2 },
  maxGas: 1_500_000n,
  expectedGas: 1_000_000n,
  exitGas: 900_000n,
};
const say = (
  request: Partial<CheckedRequest> = {},
  change: Partial<SummaryFacts> = {},
  snapshot: Partial<WalletSnapshot> = {},
) => summarise(buildRequest(request), buildSnapshot(snapshot), { ...facts, ...change });
const never = { costs: { ...facts.costs, breakEvenDays: null } };
const redeem = { operation: 'redeem', amount: { percentage: 50 } } as const;

describe('summarise', () => {
  it('default: what it does, what it costs, and when the yield has paid for it', () => {
    expect(say()).toBe(
      'Deposits 25 USDC into Steady USDC on Base for at least 1 shares. Gas is paid in USDC: about 0.98, at most 1.5. ' +
        'Redeeming everything later costs about 0.9. At the 5 % APY of the last month, the yield pays for both within 551 days.',
    );
  });

  it('behavior: a rebalance counts its gain, a yield may never pay, a price may be unknown', () => {
    const target = buildRankedVault({ name: 'Faster', apy: { now: 9, week: 9, month: 9 } });
    expect(say({ operation: 'rebalance', target })).toMatch(
      /9 % APY .* the gain over the present vault pays/,
    );
    expect(say({}, never)).toMatch(/the yield never pays/);
    expect(say({ vault: buildRankedVault({ assetPriceUsd: 0 }) }, never)).toMatch(/price of USDC is unknown/);
    const { apy: _, compositeScores: __, ...plain } = buildRankedVault();
    expect(say({ vault: plain }, never)).toMatch(/yield of Steady USDC is unknown/);
  });

  it('behavior: a redeem earns nothing, and the last one leaves nothing to redeem', () => {
    expect(say(redeem)).toMatch(/Redeems 5 shares .* Redeeming everything later costs about 0.9\.$/);
    expect(say({ ...redeem, amount: { percentage: 100 } }, { exitGas: 0n })).toMatch(/at most 1.5\.$/);
  });

  it('behavior: no costs where the service pays', () => {
    expect(say({}, { maxGas: 0n, expectedGas: 0n, exitGas: 0n })).toMatch(/Gas is paid by the service\.$/);
  });

  // A redeem takes 0.9 × 1.5 USDC in advance. The deposit spends 25 and 1.
  it.each([
    [27_350_000n, false],
    [27_349_999n, true],
  ])('behavior: warns when too little USDC is left for a redeem (%d)', (usdcBalance, isWarned) => {
    expect(/Warning: about 1.3 USDC stay/.test(say({}, {}, { usdcBalance }))).toBe(isWarned);
  });

  it.each([
    [2_350_000n, 0n, false],
    [2_349_999n, 0n, true],
    [1_000_000n, 1_350_000n, false],
  ])('behavior: USDC of a partial redeem pays for the next one (%d, %d)', (usdcBalance, minOut, isWarned) => {
    expect(/Warning/.test(say(redeem, { minOut }, { usdcBalance }))).toBe(isWarned);
  });
});
