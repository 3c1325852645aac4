import { buildListedVault } from '@yield-vault/testing';
import { buildOrder } from '../../test/build-order.js';
import { enteredVault } from './entered-vault.js';

const target = buildListedVault({ vaultAddress: '0x4000000000000000000000000000000000000004' });

it('enteredVault: that of a deposit, the target of a rebalance, none for a redeem', () => {
  const order = buildOrder();
  expect(enteredVault(order)).toBe(order.vault);
  expect(enteredVault({ ...order, instruction: { operation: 'rebalance', target } })).toBe(target);
  const redeem = { operation: 'redeem', amount: { percentage: 50 } } as const;
  expect(enteredVault({ ...order, instruction: redeem })).toBeUndefined();
});
