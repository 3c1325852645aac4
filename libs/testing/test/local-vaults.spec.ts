import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localRegistry, localVaults } from '../src/local-chain/index.js';

const registryPath = join(__dirname, '../../../config/registry.local.json');

describe('localVaults', () => {
  it.each([1, 8453] as const)(
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
