import { buildRankedVault } from '@yield-vault/testing';
import { buildRequest } from '../test/build-request.js';
import type { CheckedRequest } from './types.js';
import { readsOf } from './wallet.js';

const target = buildRankedVault({ vaultAddress: '0x4000000000000000000000000000000000000004' });
const redeemed = (parts: Partial<CheckedRequest>) => readsOf(buildRequest(parts)).redeemed;
const reads = (parts: Partial<CheckedRequest>) => readsOf(buildRequest(parts));
const { vaultAddress } = buildRequest().vault;

describe('readsOf a redeem', () => {
  it('default: shares as they are, a percentage as a part of the balance', () => {
    expect(redeemed({ operation: 'redeem', amount: { shares: 7n } })).toMatchObject({ args: [7n] });
    expect(redeemed({ operation: 'redeem', amount: { percentage: 12.5 } })).toMatchObject({
      takes: { read: 'shareBalance', part: { numerator: 125n, denominator: 1_000n } },
    });
  });

  it('behavior: a rebalance takes all, a deposit none', () => {
    expect(redeemed({ operation: 'rebalance', target })).toMatchObject({
      takes: { part: { numerator: 100n, denominator: 100n } },
    });
    expect(readsOf(buildRequest())).not.toHaveProperty('shareBalance');
    expect(readsOf(buildRequest())).not.toHaveProperty('redeemed');
  });
});

describe('readsOf a deposit', () => {
  it('default: a deposit reads the quote of its amount', () => {
    const { deposited, returned, assetBalance } = reads({ operation: 'deposit', assets: 5n });
    expect(deposited).toMatchObject({ address: vaultAddress, args: [5n] });
    expect(returned).toMatchObject({ address: vaultAddress, takes: { read: 'deposited' } });
    expect(assetBalance).toBeDefined();
  });

  it('behavior: a rebalance reads the target’s quote for the proceeds of the source', () => {
    const { deposited, price, assetBalance } = reads({ operation: 'rebalance', target });
    expect(deposited).toMatchObject({ address: target.vaultAddress, takes: { read: 'redeemed' } });
    expect(price).toMatchObject({ address: target.vaultAddress, args: [10n ** 24n] });
    expect(assetBalance).toBeUndefined();
  });

  it('behavior: a redeem deposits nothing', () => {
    const redeem = reads({ operation: 'redeem', amount: { shares: 7n } });
    expect(redeem).not.toHaveProperty('deposited');
    expect(redeem).not.toHaveProperty('price');
  });
});
