import { buildListedVault } from '@yield-vault/testing';
import { buildOrder } from '../test/build-order.js';
import { largestCallGas } from './largest-call-gas.js';
import { entryReads } from './steps/entry-reads.js';
import { exitReads } from './steps/exit-reads.js';
import { chainedReadsGas } from './steps/read-chained.js';
import { walletReads } from './steps/wallet-reads.js';
import type { Order } from './types.js';

const gasOf = (instruction: Order['instruction']) => {
  const order = buildOrder({ instruction });
  const reads = { ...walletReads(order), ...exitReads(order), ...entryReads(order) };
  return chainedReadsGas(Object.values(reads).filter((read) => read !== undefined).length);
};

describe('largestCallGas', () => {
  it('default: what a rebalance reads with, and no other operation needs more', () => {
    expect(gasOf({ operation: 'rebalance', target: buildListedVault() })).toBe(largestCallGas);
    expect(gasOf({ operation: 'deposit', assets: 1n })).toBeLessThan(largestCallGas);
    expect(gasOf({ operation: 'redeem', amount: { percentage: 50 } })).toBeLessThan(largestCallGas);
  });

  it('behavior: it stays below what nodes allow unless they are told otherwise', () => {
    expect(largestCallGas).toBe(44_000_000n);
    expect(largestCallGas).toBeLessThan(50_000_000n);
  });
});
