import {
  DataStaleError,
  type RankedVault,
  UnknownVaultError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import { requireRanked } from './require-ranked.js';

const known = buildRankedVault();

function build(ready: boolean, vaults: readonly RankedVault[], historyError?: Error) {
  const find = (vaultId: string) => vaults.find((vault) => vault.vaultId === vaultId);
  const discovery: Parameters<typeof requireRanked>[0] = {
    isReady: () => ready,
    find,
    byAddress: (_chainId, address) => vaults.find(({ vaultAddress }) => vaultAddress === address),
    list: () => vaults,
    history: () => Promise.reject(historyError ?? new UnknownVaultError({ detail: 'd' })),
    explain: () => Promise.reject(historyError ?? new UnknownVaultError({ detail: 'd' })),
  };
  return requireRanked(discovery);
}

const query = { vaultId: '1', period: '7d' } as const;

describe('requireRanked', () => {
  it('default: a known vault is returned, ranked or not', () => {
    for (const ready of [true, false]) {
      const catalogue = build(ready, [known]);
      expect(catalogue.find(known.vaultId)).toBe(known);
      expect(catalogue.byAddress(known.chainId, known.vaultAddress)).toBe(known);
      expect(catalogue.list(known.chain)).toEqual([known]);
    }
  });

  it('behavior: once ranked, a missing vault is unknown', async () => {
    const catalogue = build(true, []);
    expect(catalogue.find('1')).toBeUndefined();
    expect(catalogue.byAddress(1, known.vaultAddress)).toBeUndefined();
    expect(catalogue.list('base')).toEqual([]);
    await expect(catalogue.history(query)).rejects.toBeInstanceOf(UnknownVaultError);
    await expect(catalogue.explain('1')).rejects.toBeInstanceOf(UnknownVaultError);
  });

  it('error: DataStaleError for a missing vault before the first ranking', async () => {
    const catalogue = build(false, []);
    expect(() => catalogue.find('1')).toThrow(DataStaleError);
    expect(() => catalogue.byAddress(1, known.vaultAddress)).toThrow(DataStaleError);
    expect(() => catalogue.list('base')).toThrow(DataStaleError);
    await expect(catalogue.history(query)).rejects.toBeInstanceOf(DataStaleError);
    await expect(catalogue.explain('1')).rejects.toBeInstanceOf(DataStaleError);
  });

  it('error: another failure of history or explain is unchanged', async () => {
    const down = new UpstreamUnavailableError({ detail: 'd' });
    await expect(build(false, [], down).history(query)).rejects.toBe(down);
    await expect(build(false, [], down).explain('1')).rejects.toBe(down);
  });
});
