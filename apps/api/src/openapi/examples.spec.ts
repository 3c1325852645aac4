import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { examples } from './examples.js';

interface Registry {
  readonly vaults: readonly {
    chainId: number;
    address: string;
    name: string;
    protocol: string;
    asset: { symbol: string };
  }[];
}

describe('examples', () => {
  it('behavior: the vault exists on the local deployment', () => {
    const file = resolve(__dirname, '../../../../config/registry.local.json');
    const { vaults } = JSON.parse(readFileSync(file, 'utf8')) as Registry;
    expect(vaults.find(({ address }) => address === examples.vaultAddress)).toMatchObject({
      chainId: 8453,
      name: examples.vaultName,
      protocol: examples.protocol,
      asset: { symbol: 'USDC', address: examples.usdc },
    });
  });
});
