import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localChainIds, localRegistry, localVaults, type LocalVaultKind } from '../src/local-chain/index.js';

const registryPath = join(__dirname, '../../../config/registry.local.json');
const all = Object.values(localVaults).flat();

describe('localVaults', () => {
  it('default: at least 8 vaults on Base and 6 on Ethereum, all different', () => {
    expect(localVaults[8453].length).toBeGreaterThanOrEqual(8);
    expect(localVaults[1].length).toBeGreaterThanOrEqual(6);
    expect(new Set(all.map(({ address }) => address)).size).toBe(all.length);
    expect(new Set(all.map(({ tvl }) => tvl)).size).toBe(all.length);
  });

  it('behavior: Base has every kind', () => {
    const kinds: LocalVaultKind[] = [
      ...(['async', 'capped', 'exit-fee', 'faster', 'gap', 'gas-bomb', 'impostor', 'lossy'] as const),
      ...(['minimum', 'mislabelled', 'paused', 'steady', 'whitelist', 'zero-limit'] as const),
    ];
    expect([...new Set(localVaults[8453].map(({ kind }) => kind))].sort()).toEqual(kinds);
  });

  it.each(localChainIds)(
    'behavior: chain %s has every healthy kind, both assets and offset shares',
    (chainId) => {
      const vaults = localVaults[chainId];
      const kinds: LocalVaultKind[] = [
        'capped',
        'exit-fee',
        'faster',
        'lossy',
        'paused',
        'steady',
        'zero-limit',
      ];
      expect(vaults.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
      expect([...new Set(vaults.map(({ asset }) => asset))].sort()).toEqual(['USDC', 'WETH']);
      expect(vaults.some(({ asset, decimalsOffset }) => asset === 'USDC' && decimalsOffset === 12)).toBe(
        true,
      );
      expect(
        vaults.filter(({ asset, kind }) => asset === 'USDC' && kind === 'steady').length,
      ).toBeGreaterThan(1);
      for (const { chainId: own, tvl, asset } of vaults) {
        const usd = asset === 'USDC' ? tvl : tvl * 3_200;
        expect(own).toBe(chainId);
        expect(usd).toBeGreaterThanOrEqual(1_000_000);
        expect(usd).toBeLessThanOrEqual(300_000_000);
      }
    },
  );

  it.each(localChainIds)(
    'behavior: an impostor of chain %s has the name of a vault that it is not',
    (chainId) => {
      const impostor = localVaults[chainId].find(({ kind }) => kind === 'impostor')!;
      const others = localVaults[chainId].filter(({ name }) => name === impostor.name);
      expect(others.map(({ kind }) => kind)).toEqual(['steady', 'impostor']);
      const known = localRegistry().vaults.find(({ address }) => address === impostor.address);
      expect(known?.facts).toEqual({});
      expect(known).not.toHaveProperty('firstSeen');
    },
  );

  it('behavior: the registry names another asset for a mislabelled vault than it has', () => {
    const vault = localVaults[8453].find(({ kind }) => kind === 'mislabelled')!;
    const known = localRegistry().vaults.find(({ address }) => address === vault.address);
    expect([vault.asset, known?.asset.symbol]).toEqual(['WETH', 'USDC']);
  });

  it('behavior: config/registry.local.json says the same', () => {
    expect(JSON.parse(readFileSync(registryPath, 'utf8'))).toEqual(localRegistry());
  });
});
