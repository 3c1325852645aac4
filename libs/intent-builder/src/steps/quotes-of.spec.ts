import { PreflightSimulationError, VaultAtCapacityError } from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { buildEntered, buildOrder } from '../../test/build-order.js';
import { quotesOf } from './quotes-of.js';

const redeemed = { value: 25_000_000n };
const paused = { revertReason: 'EnforcedPause' };
const target = buildListedVault({ vaultAddress: '0x4000000000000000000000000000000000000004' });
const redeem = buildOrder({ instruction: { operation: 'redeem', amount: { percentage: 50 } } });
const rebalance = buildOrder({ instruction: { operation: 'rebalance', target } });

describe('quotesOf', () => {
  it('default: what each operation brings', () => {
    const entered = buildEntered();
    const deposited = 24n * 10n ** 18n;
    expect(quotesOf(buildOrder(), { redeemed: undefined, entered })).toEqual({ redeemed: 0n, deposited });
    expect(quotesOf(redeem, { redeemed, entered: undefined })).toEqual({
      redeemed: 25_000_000n,
      deposited: 0n,
    });
    expect(quotesOf(rebalance, { redeemed, entered })).toEqual({ redeemed: 25_000_000n, deposited });
  });

  it('error: VaultAtCapacityError for a vault that takes nothing now', () => {
    const entered = buildEntered({ deposited: paused });
    const attempt = () => quotesOf(rebalance, { redeemed, entered });
    expect(attempt).toThrow(VaultAtCapacityError);
    expect(attempt).toThrow(
      expect.objectContaining({
        details: { vaultId: target.vaultId, revertReason: 'EnforcedPause' },
      }) as Error,
    );
  });

  it('error: PreflightSimulationError for a vault that pays nothing now; it is not the target that is full', () => {
    for (const order of [redeem, rebalance]) {
      const entered = buildEntered({ deposited: { revertReason: 'NO_REASON' } });
      expect(() => quotesOf(order, { redeemed: paused, entered })).toThrow(PreflightSimulationError);
    }
  });
});
