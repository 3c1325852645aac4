import { buildListedVault } from '@yield-vault/testing';
import type { Instruction } from '../types.js';
import { sharesOf, takesAll } from './shares-of.js';

it.each<[Instruction, bigint, boolean]>([
  [{ operation: 'deposit', assets: 5n }, 0n, false],
  [{ operation: 'redeem', amount: { shares: 7n } }, 7n, false],
  [{ operation: 'redeem', amount: { shares: 1000n } }, 1000n, false],
  [{ operation: 'redeem', amount: { percentage: 33.3 } }, 333n, false],
  [{ operation: 'redeem', amount: { percentage: 100 } }, 1000n, true],
  [{ operation: 'rebalance', target: buildListedVault() }, 1000n, true],
])('sharesOf and takesAll: $#', (instruction, shares, all) => {
  expect(sharesOf({ instruction }, 1000n)).toBe(shares);
  expect(takesAll({ instruction })).toBe(all);
});
