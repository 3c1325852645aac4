import { paymasterPostOpGas } from '@yield-vault/contracts';
import {
  formatAmount,
  InsufficientBalanceError,
  InvalidParametersError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest, buildSnapshot, buildTerms, circleChain } from '../test/build-request.js';
import { applyMargin, gasReserve, usdcOverride } from './gas/budget.js';
import { requireBalances, requireGasBudget, toEstimableRequest } from './balances.js';
import { AllowanceTooLowError } from './errors.js';
import type { CheckedRequest } from './types.js';
import { expectThrown } from '../test/expect-error.js';

const requireFor = (parts: Partial<CheckedRequest>, overrides: Parameters<typeof buildSnapshot>[0] = {}) =>
  requireBalances(buildRequest(parts), buildSnapshot(overrides));

const usdcDeposit = buildRequest({ operation: 'deposit', assets: 25_000_000n });

const wethDeposit = buildRequest({
  vault: buildRankedVault({
    asset: { symbol: 'WETH', address: '0x4200000000000000000000000000000000000006', decimals: 18 },
  }),
});

const redeem = buildRequest({ operation: 'redeem', amount: { percentage: 100 } });
const budget = 2_000_000n;
const reserve = gasReserve(budget, buildSnapshot());

describe('requireBalances', () => {
  it('default', () => {
    requireFor({ operation: 'deposit', assets: 25_000_000n });
    requireFor({ operation: 'redeem', amount: { shares: 10n * 10n ** 18n } });
    requireFor({ operation: 'redeem', amount: { percentage: 0.1 } });
  });

  it.each<[string, Partial<CheckedRequest>, Parameters<typeof buildSnapshot>[0], string, string]>([
    ['shares', { operation: 'redeem', amount: { shares: 8n } }, { shareBalance: 7n }, '8', '7'],
    ['any share', { operation: 'redeem', amount: { percentage: 100 } }, { shareBalance: 0n }, '1', '0'],
  ])('error: InsufficientBalanceError for %s', (_, parts, snapshot, required, available) => {
    const missing = String(BigInt(required) - BigInt(available));
    expectThrown(
      InsufficientBalanceError,
      () => requireFor(parts, snapshot),
      expect.objectContaining({ required, available, missing }),
    );
  });

  it('behavior: the error is about the position, in whole shares', () => {
    const vault = buildRankedVault({ shareDecimals: 12 });
    const detailOf = (amount: object, shareBalance: bigint) => {
      try {
        requireFor({ operation: 'redeem', vault, amount } as CheckedRequest, { shareBalance });
      } catch (error) {
        return (error as InsufficientBalanceError).detail;
      }
      throw new Error('nothing is missing');
    };
    const bound = ' The numbers for gas are upper bounds: nothing was estimated.';
    expect(detailOf({ shares: 2n }, 0n)).toBe(`The wallet holds no shares of Steady USDC.${bound}`);
    expect(detailOf({ shares: 2n * 10n ** 12n }, 15n * 10n ** 11n)).toBe(
      `The wallet holds 1.5 shares of Steady USDC; the request redeems 2.${bound}`,
    );
  });

  it('error: InvalidParametersError for a percentage that rounds to no share', () => {
    expectThrown(
      InvalidParametersError,
      () => requireFor({ operation: 'redeem', amount: { percentage: 10 } }, { shareBalance: 9n }),
      {
        violations: [
          {
            field: 'percentage',
            message: "percentage is less than one base unit of the wallet's 0.000000000000000009 shares.",
          },
        ],
      },
    );
  });

  it('error: InsufficientBalanceError without any of an asset that cannot be estimated with', () => {
    const attempt = () => requireBalances(wethDeposit, buildSnapshot({ assetBalance: 0n }));
    expect(attempt).toThrow(InsufficientBalanceError);
    expect(attempt).toThrow(
      expect.objectContaining({ detail: expect.stringMatching(/ upper bounds: nothing was estimated\.$/) }),
    );
  });
});

describe('requireGasBudget', () => {
  it.each([
    ['a deposit of USDC keeps the gas back', usdcDeposit, 27_000_000n],
    ['a deposit of another asset needs USDC for gas alone', wethDeposit, 2_000_000n],
    ['a redeem needs USDC for gas before it brings any', redeem, 2_000_000n],
  ])('default: %s', (_, request, needed) => {
    expect(() => requireGasBudget(request, buildSnapshot({ usdcBalance: needed }), budget, 0n)).not.toThrow();
    expectThrown(
      InsufficientBalanceError,
      () => requireGasBudget(request, buildSnapshot({ usdcBalance: needed - 1n }), budget, 0n),
      {
        token: request.chain.usdc,
        decimals: 6,
        available: (needed - 1n).toString(),
        required: (needed - budget + reserve).toString(),
        missing: (reserve - budget + 1n).toString(),
        gas: reserve.toString(),
        ...(request !== redeem && { exitReserve: '0' }),
        maxAmount: request === usdcDeposit ? formatAmount(needed - 1n - reserve, 6) : null,
      },
    );
  });

  it.each([
    ['a cent', reserve + 10_000n, '0.01'],
    ['less, which rounding would eat', reserve + 9_999n, null],
    ['not even the gas', 5n, null],
  ])('behavior: a wallet can deposit at most what it has besides gas: %s', (_, usdcBalance, maxAmount) => {
    const attempt = () => requireGasBudget(usdcDeposit, buildSnapshot({ usdcBalance }), budget, 0n);
    expect(attempt).toThrow(expect.objectContaining({ details: expect.objectContaining({ maxAmount }) }));
  });

  it('behavior: the largest amount of USDC leaves what leaving will cost, with the same margin', () => {
    const usdcBalance = 2n * reserve + 20_000_000n;
    expectThrown(
      InsufficientBalanceError,
      () => requireGasBudget(usdcDeposit, buildSnapshot({ usdcBalance }), usdcBalance, budget),
      expect.objectContaining({ exitReserve: String(reserve) }),
    );
    const short = buildSnapshot({ usdcBalance: 25_000_000n });
    expectThrown(
      InsufficientBalanceError,
      () => requireGasBudget(usdcDeposit, short, budget, budget),
      expect.objectContaining({ maxAmount: formatAmount(25_000_000n - 2n * reserve, 6) }),
    );
  });

  it.each([
    ['a deposit of USDC', usdcDeposit, 25_000_000n],
    ['a deposit of another asset', wethDeposit, 0n],
    ['a rebalance', buildRequest({ operation: 'rebalance', target: buildRankedVault() }), 0n],
    ['a redeem, which is the exit', redeem, 0n],
  ])('attack: adding `missing` and `exitReserve` never strands the position of %s', (_, request, spent) => {
    expectThrown(
      InsufficientBalanceError,
      () => requireGasBudget(request, buildSnapshot({ usdcBalance: 1n }), budget, budget),
      expect.objectContaining({
        required: String(spent + reserve),
        missing: String(spent + reserve - 1n),
        ...(request !== redeem && { exitReserve: String(reserve) }),
      }),
    );
  });

  it.each([
    [7n, 2n * reserve, '0.000000000000000007'],
    [7n, 2n * reserve - 1n, null],
  ])('error: InsufficientBalanceError for another asset (%d, %d)', (assetBalance, usdcBalance, maxAmount) => {
    const attempt = () =>
      requireGasBudget(wethDeposit, buildSnapshot({ assetBalance, usdcBalance }), budget, budget);
    expect(attempt).toThrow(
      expect.objectContaining({
        detail: expect.stringMatching(/^The wallet needs [\d.]+ WETH and has [\d.]+\.$/),
        details: expect.objectContaining({
          token: wethDeposit.vault.asset.address,
          available: '7',
          maxAmount,
        }),
      }),
    );
  });

  it('attack: gas above the ceiling of the paymaster is refused', () => {
    const limited = (operationCeiling: bigint) =>
      buildSnapshot({ paymaster: buildTerms({ operationCeiling }) });
    expect(() => requireGasBudget(redeem, limited(budget), budget, 0n)).not.toThrow();
    expect(() => requireGasBudget(redeem, limited(budget - 1n), budget, 0n)).toThrow(
      UpstreamUnavailableError,
    );
  });

  it('error: AllowanceTooLowError, but not with our paymaster', () => {
    const allowed = (paymasterAllowance: bigint) => buildSnapshot({ paymasterAllowance });
    const circle = { ...redeem, chain: circleChain() };
    expect(() => requireGasBudget(circle, allowed(budget), budget, 0n)).not.toThrow();
    expect(() => requireGasBudget(circle, allowed(budget - 1n), budget, 0n)).toThrow(AllowanceTooLowError);
    expect(() => requireGasBudget(redeem, allowed(0n), budget, 0n)).not.toThrow();
  });
});

describe('gasReserve', () => {
  const reserveAt = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint, laterPostOpGas = 40_000n) =>
    gasReserve(budget, {
      gasPrice: { maxFeePerGas, maxPriorityFeePerGas },
      paymaster: buildTerms({ laterPostOpGas }),
    });

  it('default: pays for ten full blocks of Ethereum, and for sixty of Base', () => {
    const worst = Math.max((1 + 1 / 8) ** 10, (1 + 5 / 250) ** 60);
    expect(Number(reserveAt(10n ** 9n, 0n)) / Number(budget)).toBeGreaterThan(worst * 1.05);
    expect(Number(reserveAt(10n ** 9n, 0n)) / Number(budget)).toBeLessThan(worst * 1.3);
  });

  it('behavior: the tip does not rise', () => {
    expect(reserveAt(10n ** 9n, 10n ** 9n)).toBe(2_500_000n);
    expect(reserveAt(2n * 10n ** 9n, 10n ** 9n)).toBe(5_375_000n);
    expect(reserveAt(0n, 0n)).toBe(0n);
  });

  it('behavior: a price that is due for a refresh within two minutes', () => {
    // 80 000 gas, a penalty of 12 000 and postOp at 1.25 gwei and 3000 USDC for one ether.
    const refresh = applyMargin(92_000n + paymasterPostOpGas, 375n);
    expect(reserveAt(10n ** 9n, 10n ** 9n, 120_000n)).toBe(2_500_000n + applyMargin(refresh, 125n));
  });
});

describe('toEstimableRequest', () => {
  const estimable = (request: CheckedRequest, assetBalance: bigint) =>
    toEstimableRequest(request, { assetBalance });

  it('default: a deposit above the balance is estimated with the balance', () => {
    expect(estimable(usdcDeposit, 25_000_000n)).toBe(usdcDeposit);
    expect(estimable(redeem, 0n)).toBe(redeem);
    expect(estimable(usdcDeposit, 24_999_999n)).toEqual({ ...usdcDeposit, assets: 24_999_999n });
    expect(estimable(wethDeposit, 7n)).toEqual({ ...wethDeposit, assets: 7n });
  });

  it('behavior: with one USDC at least, where the balance is assumed, and never with more than asked for', () => {
    expect(estimable(usdcDeposit, 3n)).toEqual({ ...usdcDeposit, assets: 1_000_000n });
    const small = buildRequest({ operation: 'deposit', assets: 20n });
    expect(estimable(small, 3n)).toEqual(small);
  });
});

describe('usdcOverride', () => {
  it('default: only for a wallet that may not have the gas', () => {
    expect(usdcOverride(usdcDeposit, buildSnapshot())).toBeUndefined();
    const [override] = usdcOverride(usdcDeposit, buildSnapshot({ usdcBalance: 26_000_000n }))!;
    expect(override).toMatchObject({ address: usdcDeposit.chain.usdc });
    expect(override!.stateDiff).toHaveLength(1);
    expect(usdcOverride(redeem, buildSnapshot({ usdcBalance: 0n }))).toBeDefined();
  });

  it('behavior: in the storage slot of the chain, or in the slot of FiatToken', () => {
    const slotAt = (usdcBalanceSlot?: number) => {
      const { chain } = redeem;
      const request = { ...redeem, chain: { ...chain, fork: { ...chain.fork, usdcBalanceSlot } } };
      return usdcOverride(request as CheckedRequest, buildSnapshot({ usdcBalance: 0n }))![0]!.stateDiff![0]!
        .slot;
    };
    expect(slotAt()).toBe(slotAt(9));
    expect(slotAt(51)).not.toBe(slotAt(9));
  });
});
