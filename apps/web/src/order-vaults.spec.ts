import type { VaultSummary } from '@yield-vault/protocol';
import { orderBy, rankVaults } from './order-vaults.js';

const vault = (vaultId: string, balanced: number, tvlUsd = 1, name = vaultId) =>
  ({ vaultId, name, tvlUsd, compositeScores: { balanced, maximize_apy: -balanced } }) as VaultSummary;
const idsOf = (vaults: readonly VaultSummary[]) => vaults.map(({ vaultId }) => vaultId);

describe('rankVaults', () => {
  it('default: by the score of the strategy, then TVL, then id as an integer', () => {
    const vaults = [vault('10', 5), vault('9', 5), vault('3', 5, 2), vault('4', 7)];
    expect(idsOf(rankVaults(vaults, 'balanced'))).toEqual(['4', '3', '9', '10']);
    expect(idsOf(rankVaults(vaults, 'maximize_apy'))).toEqual(['3', '9', '10', '4']);
  });
});

describe('orderBy', () => {
  it('default: by a column in either direction; equal values keep their rank', () => {
    const ranked = rankVaults(
      [vault('1', 3, 5, 'b'), vault('2', 2, 7, 'a'), vault('3', 1, 5, 'c')],
      'balanced',
    );
    expect(idsOf(orderBy(ranked, ({ tvlUsd }) => tvlUsd, 'descending'))).toEqual(['2', '1', '3']);
    expect(idsOf(orderBy(ranked, ({ tvlUsd }) => tvlUsd, 'ascending'))).toEqual(['1', '3', '2']);
    expect(idsOf(orderBy(ranked, ({ name }) => name, 'ascending'))).toEqual(['2', '1', '3']);
  });
});
