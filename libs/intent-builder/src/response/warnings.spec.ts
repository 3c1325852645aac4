import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest, buildSnapshot } from '../../test/build-request.js';
import { gasReserve } from '../gas/budget.js';
import type { CheckedRequest } from '../types.js';
import { earningOf } from './costs.js';
import { warningsOf } from './warnings.js';

const gas = { expected: 1_000_000n, exit: 900_000n, mostExit: 1_350_000n };
const reserve = gasReserve(gas.mostExit, buildSnapshot());
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
  // The deposit spends 25 and 1.
  it.each<[number, Partial<CheckedRequest>, bigint, bigint, readonly string[]]>([
    [0, {}, 26_000_000n + reserve, 0n, []],
    [1, {}, 25_999_999n + reserve, 0n, ['EXIT_NOT_COVERED']],
    [2, redeem, 1_000_000n + reserve, 0n, []],
    [3, redeem, 999_999n + reserve, 0n, ['EXIT_NOT_COVERED']],
    [4, redeem, 1_000_000n, reserve, []],
  ])('behavior: too little USDC for leaving (%i)', (_, request, usdcBalance, minOut, codes) => {
    expect(codesOf(request, usdcBalance, minOut)).toEqual(codes);
  });

  it('behavior: says how much stays', () => {
    expect(warn({}, 27_349_999n)[0]!.message).toMatch(
      /^About 1.3 USDC stay in the wallet, .* may need 5.6 USDC/,
    );
  });

  it('attack: a full redeem of another asset strands other positions; one of USDC brings USDC', () => {
    const asset = {
      symbol: 'WETH',
      address: '0x4200000000000000000000000000000000000006',
      decimals: 18,
    } as const;
    const all = { ...gas, exit: 0n };
    const [warning] = warn({ ...redeem, vault: buildRankedVault({ asset }) }, 2_000_000n, 10n ** 18n, all);
    expect(warning).toMatchObject({
      code: 'EXIT_NOT_COVERED',
      message: expect.stringContaining('any other position') as string,
    });
    expect(codesOf(redeem, 2_000_000n, 0n, all)).toEqual([]);
  });

  it.each<[string, Partial<CheckedRequest>, readonly string[]]>([
    ['a deposit', { vault: thin }, ['EXIT_THIN', 'LOW_COVERAGE']],
    ['a rebalance, of its target', { operation: 'rebalance', target: thin }, ['EXIT_THIN', 'LOW_COVERAGE']],
    ['no redeem', { ...redeem, vault: thin }, []],
  ])('behavior: warns of the vault of %s', (_, request, codes) => {
    expect(codesOf(request)).toEqual(codes);
  });
});
