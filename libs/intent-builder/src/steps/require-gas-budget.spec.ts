import { InsufficientBalanceError, UpstreamUnavailableError } from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { buildOrder, buildSnapshot, buildTerms } from '../../test/build-order.js';
import { AllowanceTooLowError } from '../errors.js';
import { requireGasBudget } from './require-gas-budget.js';

const usdcDeposit = buildOrder({ instruction: { operation: 'deposit', assets: 25_000_000n } });
const wethDeposit = buildOrder({
  vault: buildListedVault({
    asset: { symbol: 'WETH', address: '0x4200000000000000000000000000000000000006', decimals: 18 },
  }),
});
const redeem = buildOrder({ instruction: { operation: 'redeem', amount: { percentage: 100 } } });
const budget = 2_000_000n;

describe('requireGasBudget', () => {
  it.each([
    ['a deposit of USDC keeps the gas back', usdcDeposit, 27_000_000n],
    ['a deposit of another asset needs USDC for gas alone', wethDeposit, 2_000_000n],
    ['a redeem needs USDC for gas before it brings any', redeem, 2_000_000n],
  ])('default: %s', (_, order, needed) => {
    expect(() => requireGasBudget(order, buildSnapshot({ usdcBalance: needed }), budget)).not.toThrow();
    const attempt = () => requireGasBudget(order, buildSnapshot({ usdcBalance: needed - 1n }), budget);
    expect(attempt).toThrow(InsufficientBalanceError);
    expect(attempt).toThrow(
      expect.objectContaining({
        details: {
          required: needed.toString(),
          available: (needed - 1n).toString(),
          missing: '1',
          token: order.chain.usdc,
        },
      }),
    );
  });

  it('attack: gas above the ceiling of the paymaster is no intent that could only fail', () => {
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
