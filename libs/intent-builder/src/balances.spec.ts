import { InsufficientBalanceError, UpstreamUnavailableError } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest, buildSnapshot, buildTerms } from '../test/build-request.js';
import { affordable, assumedBalance, requireBalances, requireGasBudget } from './balances.js';
import { AllowanceTooLowError } from './errors.js';
import type { CheckedRequest } from './types.js';

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

describe('requireBalances', () => {
  it('default', () => {
    requireFor({ operation: 'deposit', assets: 25_000_000n });
    requireFor({ operation: 'redeem', amount: { shares: 10n * 10n ** 18n } });
    requireFor({ operation: 'redeem', amount: { percentage: 0.1 } });
  });

  it.each<[string, Partial<CheckedRequest>, Parameters<typeof buildSnapshot>[0], string, string]>([
    ['shares', { operation: 'redeem', amount: { shares: 8n } }, { shareBalance: 7n }, '8', '7'],
    ['any share', { operation: 'redeem', amount: { percentage: 100 } }, { shareBalance: 0n }, '1', '0'],
    [
      'a share to take a part of',
      { operation: 'redeem', amount: { percentage: 10 } },
      { shareBalance: 9n },
      '10',
      '9',
    ],
    [
      'a share to take a smaller part of',
      { operation: 'redeem', amount: { percentage: 0.3 } },
      { shareBalance: 333n },
      '334',
      '333',
    ],
    [
      'next to nothing',
      { operation: 'redeem', amount: { percentage: 1e-19 } },
      { shareBalance: 9n },
      '10',
      '9',
    ],
  ])('error: InsufficientBalanceError for %s', (_, parts, snapshot, required, available) => {
    const attempt = () => requireFor(parts, snapshot);
    expect(attempt).toThrow(InsufficientBalanceError);
    const missing = String(BigInt(required) - BigInt(available));
    expect(attempt).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ required, available, missing }) }),
    );
  });

  it('error: InsufficientBalanceError without any of an asset that cannot be estimated with', () => {
    expect(() => requireBalances(wethDeposit, buildSnapshot({ assetBalance: 0n }))).toThrow(
      InsufficientBalanceError,
    );
  });
});

describe('requireGasBudget', () => {
  it.each([
    ['a deposit of USDC keeps the gas back', usdcDeposit, 27_000_000n],
    ['a deposit of another asset needs USDC for gas alone', wethDeposit, 2_000_000n],
    ['a redeem needs USDC for gas before it brings any', redeem, 2_000_000n],
  ])('default: %s', (_, request, needed) => {
    expect(() => requireGasBudget(request, buildSnapshot({ usdcBalance: needed }), budget)).not.toThrow();
    const attempt = () => requireGasBudget(request, buildSnapshot({ usdcBalance: needed - 1n }), budget);
    expect(attempt).toThrow(InsufficientBalanceError);
    expect(attempt).toThrow(
      expect.objectContaining({
        details: {
          token: request.chain.usdc,
          decimals: 6,
          available: (needed - 1n).toString(),
          required: (needed + 1_000_000n).toString(),
          missing: '1000001',
          gas: '3000000',
          maxAmount: request === usdcDeposit ? '23.999999' : null,
        },
      }),
    );
  });

  it.each([
    ['a cent', 3_010_000n, '0.01'],
    ['less, which rounding would eat', 3_009_999n, null],
    ['not even the gas', 5n, null],
  ])('behavior: a wallet can deposit at most what it has besides gas: %s', (_, usdcBalance, maxAmount) => {
    const attempt = () => requireGasBudget(usdcDeposit, buildSnapshot({ usdcBalance }), budget);
    expect(attempt).toThrow(expect.objectContaining({ details: expect.objectContaining({ maxAmount }) }));
  });

  it.each([
    [7n, 2_000_000n, '0.000000000000000007'],
    [7n, 1_999_999n, null],
  ])('error: InsufficientBalanceError for another asset (%d, %d)', (assetBalance, usdcBalance, maxAmount) => {
    const attempt = () => requireGasBudget(wethDeposit, buildSnapshot({ assetBalance, usdcBalance }), budget);
    expect(attempt).toThrow(
      expect.objectContaining({
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
    expect(() => requireGasBudget(redeem, limited(budget), budget)).not.toThrow();
    expect(() => requireGasBudget(redeem, limited(budget - 1n), budget)).toThrow(UpstreamUnavailableError);
  });

  it('error: AllowanceTooLowError', () => {
    const allowed = (paymasterAllowance: bigint) => buildSnapshot({ paymasterAllowance });
    expect(() => requireGasBudget(redeem, allowed(budget), budget)).not.toThrow();
    expect(() => requireGasBudget(redeem, allowed(budget - 1n), budget)).toThrow(AllowanceTooLowError);
  });
});

describe('affordable', () => {
  const estimable = (request: CheckedRequest, assetBalance: bigint) => affordable(request, { assetBalance });

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

describe('assumedBalance', () => {
  it('default: only for a wallet that may not have the gas', () => {
    expect(assumedBalance(usdcDeposit, buildSnapshot())).toBeUndefined();
    const [override] = assumedBalance(usdcDeposit, buildSnapshot({ usdcBalance: 26_000_000n }))!;
    expect(override).toMatchObject({ address: usdcDeposit.chain.usdc });
    expect(override!.stateDiff).toHaveLength(1);
    expect(assumedBalance(redeem, buildSnapshot({ usdcBalance: 0n }))).toBeDefined();
  });
});
