import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest, buildSnapshot } from '../../test/build-request.js';
import type { CheckedRequest } from '../types.js';
import { earningOf } from './costs.js';
import { warningsOf } from './warnings.js';

const gas = { expected: 1_000_000n, exit: 900_000n, mostExit: 1_350_000n };
const warn = (parts: Partial<CheckedRequest>, usdcBalance = 10n ** 9n, minOut = 0n, figures = gas) => {
  const request = buildRequest(parts);
  const earning = earningOf(request, { redeemed: { value: 25_000_000n } });
  return warningsOf(request, buildSnapshot({ usdcBalance }), figures, minOut, earning);
};
const codesOf = (...call: Parameters<typeof warn>) => warn(...call).map(({ code }) => code);
const redeem = { operation: 'redeem', amount: { percentage: 50 } } as const;
const thin = buildRankedVault({
  exit: { instantUsd: 49, p10Usd: 49, method: 'simulated', checkedAt: null },
  coverage: 40,
});

describe('warningsOf', () => {
  // A redeem takes 1.35 USDC in advance. The deposit spends 25 and 1.
  it.each<[number, Partial<CheckedRequest>, bigint, bigint, readonly string[]]>([
    [0, {}, 27_350_000n, 0n, []],
    [1, {}, 27_349_999n, 0n, ['EXIT_NOT_COVERED']],
    [2, redeem, 2_350_000n, 0n, []],
    [3, redeem, 2_349_999n, 0n, ['EXIT_NOT_COVERED']],
    [4, redeem, 1_000_000n, 1_350_000n, []],
  ])('behavior: too little USDC for leaving (%i)', (_, request, usdcBalance, minOut, codes) => {
    expect(codesOf(request, usdcBalance, minOut)).toEqual(codes);
  });

  it('behavior: says how much stays', () => {
    expect(warn({}, 27_349_999n)[0]!.message).toMatch(
      /^About 1.3 USDC stay in the wallet, .* needs 1.4 USDC/,
    );
  });

  it('behavior: nothing to leave', () => {
    expect(codesOf(redeem, 0n, 0n, { ...gas, exit: 0n, mostExit: 0n })).toEqual([]);
  });

  it.each<[string, Partial<CheckedRequest>, readonly string[]]>([
    ['a deposit', { vault: thin }, ['EXIT_THIN', 'LOW_COVERAGE']],
    ['a rebalance, of its target', { operation: 'rebalance', target: thin }, ['EXIT_THIN', 'LOW_COVERAGE']],
    ['no redeem', { ...redeem, vault: thin }, []],
  ])('behavior: warns of the vault of %s', (_, request, codes) => {
    expect(codesOf(request)).toEqual(codes);
  });
});
