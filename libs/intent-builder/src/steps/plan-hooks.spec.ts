import { buildListedVault } from '@yield-vault/testing';
import { buildOrder, buildSnapshot, options } from '../../test/build-order.js';
import type { Instruction } from '../types.js';
import { planHooks } from './plan-hooks.js';
import type { Quotes } from './quotes-of.js';

const vault = buildListedVault();
const target = buildListedVault({ vaultAddress: '0x4000000000000000000000000000000000000004' });
const token = vault.asset.address;
const plan = (instruction: Instruction, quotes: Partial<Quotes> = {}) =>
  planHooks(
    buildOrder({ vault, instruction }),
    buildSnapshot(),
    { redeemed: 2_000n, deposited: 1_000n, ...quotes },
    600,
    options,
  );

describe('planHooks', () => {
  it('default: deposit', () => {
    expect(plan({ operation: 'deposit', assets: 25n })).toEqual({
      hooks: [{ hook: 'deposit', vault: vault.vaultAddress, token, amount: 25n, minShares: 994n }],
      quotedOut: 1_000n,
      minOut: 994n,
    });
  });

  it('default: redeem of a part, and of everything that is there at inclusion', () => {
    const part = { hook: 'redeem', vault: vault.vaultAddress, token, minAssets: 1_990n };
    expect(plan({ operation: 'redeem', amount: { percentage: 50 } }).hooks).toEqual([
      { ...part, shares: 5n * 10n ** 18n },
    ]);
    expect(plan({ operation: 'redeem', amount: { percentage: 100 } }).hooks).toEqual([
      { ...part, shares: 'all' },
    ]);
  });

  it('default: rebalance deposits what the redeem brought, each step with its own minimum', () => {
    expect(plan({ operation: 'rebalance', target }).hooks).toEqual([
      { hook: 'redeem', vault: vault.vaultAddress, token, shares: 'all', minAssets: 1_990n },
      { hook: 'deposit', vault: target.vaultAddress, token, amount: 'previous', minShares: 994n },
    ]);
  });

  it('behavior: no minimum is ever zero', () => {
    const { hooks, minOut } = plan({ operation: 'rebalance', target }, { redeemed: 0n, deposited: 0n });
    expect(hooks).toEqual([
      expect.objectContaining({ minAssets: 1n }),
      expect.objectContaining({ minShares: 1n }),
    ]);
    expect(minOut).toBe(1n);
  });

  it.each([
    [49_999_999n, 100_000_000n, 100_000_000n],
    [50_000_000n, 100_000_000n, undefined],
    [9_999_999n, 20_000_000n, 20_000_000n],
    [49_999_999n, 500_000_000n, 100_000_000n],
  ])(
    'behavior: an allowance of %d of %d is restored to %d',
    (paymasterAllowance, paymasterAllowanceUsdc, amount) => {
      const { state } = buildSnapshot();
      const { hooks } = planHooks(
        buildOrder(),
        buildSnapshot({ state: { ...state, paymasterAllowance } }),
        { redeemed: 0n, deposited: 1n },
        600,
        { ...options, paymasterAllowanceUsdc },
      );
      expect(hooks.slice(1)).toEqual(amount === undefined ? [] : [{ hook: 'approve-paymaster', amount }]);
    },
  );
});
