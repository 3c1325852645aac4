import { buildListedVault } from '@yield-vault/testing';
import { buildOrder } from '../../test/build-order.js';
import type { Instruction } from '../types.js';
import { entryReads } from './entry-reads.js';
import { exitReads } from './exit-reads.js';

const target = buildListedVault({ vaultAddress: '0x4000000000000000000000000000000000000004' });
const exit = (instruction: Instruction) => exitReads(buildOrder({ instruction })).redeemed;
const entry = (instruction: Instruction) => entryReads(buildOrder({ instruction }));
const { vaultAddress } = buildOrder().vault;

describe('exitReads', () => {
  it('default: shares as they are, a percentage as a part of the balance', () => {
    expect(exit({ operation: 'redeem', amount: { shares: 7n } })).toMatchObject({ args: [7n] });
    expect(exit({ operation: 'redeem', amount: { percentage: 12.5 } })).toMatchObject({
      takes: { read: 'shareBalance', part: { numerator: 125n, denominator: 1_000n } },
    });
  });

  it('behavior: a rebalance takes all, a deposit none', () => {
    expect(exit({ operation: 'rebalance', target })).toMatchObject({
      takes: { part: { numerator: 100n, denominator: 100n } },
    });
    expect(exitReads(buildOrder())).toEqual({});
  });
});

describe('entryReads', () => {
  it('default: a deposit asks its vault about its amount', () => {
    const { deposited, returned, assetBalance } = entry({ operation: 'deposit', assets: 5n });
    expect(deposited).toMatchObject({ address: vaultAddress, args: [5n] });
    expect(returned).toMatchObject({ address: vaultAddress, takes: { read: 'deposited' } });
    expect(assetBalance).toBeDefined();
  });

  it('behavior: a rebalance asks its target about what the source pays', () => {
    const { deposited, price, assetBalance } = entry({ operation: 'rebalance', target });
    expect(deposited).toMatchObject({ address: target.vaultAddress, takes: { read: 'redeemed' } });
    expect(price).toMatchObject({ address: target.vaultAddress, args: [10n ** 24n] });
    expect(assetBalance).toBeUndefined();
  });

  it('behavior: a redeem enters nothing', () => {
    expect(entry({ operation: 'redeem', amount: { shares: 7n } })).toEqual({});
  });
});
