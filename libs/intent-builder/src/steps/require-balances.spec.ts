import { InsufficientBalanceError } from '@yield-vault/protocol';
import { buildOrder, buildSnapshot } from '../../test/build-order.js';
import type { Instruction } from '../types.js';
import { requireBalances } from './require-balances.js';

const requireFor = (instruction: Instruction, overrides: Parameters<typeof buildSnapshot>[0] = {}) =>
  requireBalances(buildOrder({ instruction }), buildSnapshot(overrides));

describe('requireBalances', () => {
  it('default', () => {
    requireFor({ operation: 'deposit', assets: 25_000_000n });
    requireFor({ operation: 'redeem', amount: { shares: 10n * 10n ** 18n } });
    requireFor({ operation: 'redeem', amount: { percentage: 0.1 } });
  });

  it.each<[string, Instruction, Parameters<typeof buildSnapshot>[0], string, string]>([
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
  ])('error: InsufficientBalanceError for %s', (_, instruction, snapshot, required, available) => {
    const attempt = () => requireFor(instruction, snapshot);
    expect(attempt).toThrow(InsufficientBalanceError);
    const missing = String(BigInt(required) - BigInt(available));
    expect(attempt).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ required, available, missing }) }),
    );
  });

  it('error: InsufficientBalanceError without USDC for the least gas', () => {
    expect(() =>
      requireFor({ operation: 'redeem', amount: { percentage: 50 } }, { usdcBalance: 100n }),
    ).toThrow(InsufficientBalanceError);
  });
});
