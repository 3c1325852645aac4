import { InsufficientBalanceError, UpstreamUnavailableError } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest, buildSnapshot, buildTerms } from '../test/build-request.js';
import { requireBalances, requireGasBudget } from './balances.js';
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
    ['the asset', { operation: 'deposit', assets: 25n }, { assetBalance: 24n }, '25', '24'],
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

  it('error: InsufficientBalanceError without USDC for the smallest gas cost', () => {
    expect(() =>
      requireFor({ operation: 'redeem', amount: { percentage: 50 } }, { usdcBalance: 100n }),
    ).toThrow(InsufficientBalanceError);
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
          required: needed.toString(),
          available: (needed - 1n).toString(),
          missing: '1',
          token: request.chain.usdc,
        },
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
    const { state } = buildSnapshot();
    const allowed = (paymasterAllowance: bigint) =>
      buildSnapshot({ state: { ...state, paymasterAllowance } });
    expect(() => requireGasBudget(redeem, allowed(budget), budget)).not.toThrow();
    expect(() => requireGasBudget(redeem, allowed(budget - 1n), budget)).toThrow(AllowanceTooLowError);
  });
});
