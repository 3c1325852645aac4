import type { ShareMovement } from '../types.js';
import { sumReceived } from './sum-received.js';

const movement = (overrides: Partial<ShareMovement>): ShareMovement => ({
  ...{ kind: 'transfer-in', shares: 100n, assets: undefined, blockNumber: 1n, logIndex: 0 },
  ...overrides,
});

describe('sumReceived', () => {
  it('default: shares of one block are added up', () => {
    const movements = [movement({}), movement({ logIndex: 1, shares: 1n }), movement({ blockNumber: 2n })];
    expect([...sumReceived(movements)]).toEqual([
      [1n, 101n],
      [2n, 100n],
    ]);
  });

  it.each(['deposit', 'withdraw', 'transfer-out'] as const)('behavior: a %s is left out', (kind) => {
    expect(sumReceived([movement({ kind })]).size).toBe(0);
  });
});
