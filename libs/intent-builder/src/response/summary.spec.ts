import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest, buildSnapshot } from '../../test/build-request.js';
import type { CheckedRequest } from '../types.js';
import { summarise, type SummaryFacts } from './summary.js';

const facts: SummaryFacts = {
  minOut: 10n ** 18n,
  costs: { gasUsd: 0.98, exitGasUsd: 0.9, breakEvenDays: 550.2 },
  gas: { most: 1_500_000n, exit: 900_000n },
  warnings: [],
};
const say = (request: Partial<CheckedRequest> = {}, change: Partial<SummaryFacts> = {}) =>
  summarise(buildRequest(request), buildSnapshot(), { ...facts, ...change });
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
    expect(say({ ...redeem, amount: { percentage: 100 } }, { gas: { most: 1_500_000n, exit: 0n } })).toMatch(
      /at most 1.5\.$/,
    );
  });

  it('behavior: no costs where the service pays', () => {
    expect(say({}, { gas: { most: 0n, exit: 0n } })).toMatch(/Gas is paid by the service\.$/);
  });

  it('behavior: says each warning', () => {
    const warnings = [{ code: 'LOW_COVERAGE', message: 'Little is known.' }] as const;
    expect(say({}, { warnings })).toMatch(/ Warning: Little is known\.$/);
  });
});
