import {
  DataStaleError,
  UnknownVaultError,
  UpstreamUnavailableError,
  type ListedVault,
} from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { untilRanked } from './until-ranked.js';

const known = buildListedVault();

function build(ready: boolean, vaults: readonly ListedVault[], historyError?: Error) {
  const find = (vaultId: string) => vaults.find((vault) => vault.vaultId === vaultId);
  const discovery: Parameters<typeof untilRanked>[0] = {
    isReady: () => ready,
    find,
    byAddress: (_chainId, address) => vaults.find(({ vaultAddress }) => vaultAddress === address),
    list: () => vaults,
    history: () => Promise.reject(historyError ?? new UnknownVaultError({ detail: 'd' })),
    explain: () => Promise.reject(historyError ?? new UnknownVaultError({ detail: 'd' })),
  };
  return untilRanked(discovery);
}

const query = { vaultId: '1', period: '7d' } as const;

describe('untilRanked', () => {
  it('default: what is found is found, ranked or not', () => {
    for (const ready of [true, false]) {
      const catalogue = build(ready, [known]);
      expect(catalogue.find(known.vaultId)).toBe(known);
      expect(catalogue.byAddress(known.chainId, known.vaultAddress)).toBe(known);
      expect(catalogue.list(known.chain)).toEqual([known]);
    }
  });

  it('behavior: once ranked, what is missing is unknown', async () => {
    const catalogue = build(true, []);
    expect(catalogue.find('1')).toBeUndefined();
    expect(catalogue.byAddress(1, known.vaultAddress)).toBeUndefined();
    expect(catalogue.list('base')).toEqual([]);
    await expect(catalogue.history(query)).rejects.toBeInstanceOf(UnknownVaultError);
    await expect(catalogue.explain('1')).rejects.toBeInstanceOf(UnknownVaultError);
  });

  it('error: DataStaleError for what is missing before', async () => {
    const catalogue = build(false, []);
    expect(() => catalogue.find('1')).toThrow(DataStaleError);
    expect(() => catalogue.byAddress(1, known.vaultAddress)).toThrow(DataStaleError);
    expect(() => catalogue.list('base')).toThrow(DataStaleError);
    await expect(catalogue.history(query)).rejects.toBeInstanceOf(DataStaleError);
    await expect(catalogue.explain('1')).rejects.toBeInstanceOf(DataStaleError);
  });

  it('error: another failure of history or explain stays what it is', async () => {
    const down = new UpstreamUnavailableError({ detail: 'd' });
    await expect(build(false, [], down).history(query)).rejects.toBe(down);
    await expect(build(false, [], down).explain('1')).rejects.toBe(down);
  });
});
