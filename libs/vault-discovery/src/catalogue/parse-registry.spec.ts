import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localRegistry } from '@yield-vault/contracts/local';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { RegistryError } from '../errors.js';
import { parseRegistry } from './parse-registry.js';

const problemsOf = (json: unknown): readonly string[] => {
  try {
    parseRegistry(json);
  } catch (error) {
    if (error instanceof RegistryError) return error.problems;
    throw error;
  }
  return [];
};

const fileOf = (name: string): unknown =>
  JSON.parse(readFileSync(join(__dirname, '../../../../config', name), 'utf8'));

describe('parseRegistry', () => {
  it('default: the local registry', () => {
    const { vaults } = localRegistry();
    expect(parseRegistry({ vaults })).toEqual(vaults.map((vault) => ({ ...vault, sources: [] })));
  });

  it('behavior: the registry of the real chains is sound', () => {
    const vaults = parseRegistry(fileOf('registry.preproduction.json'));
    expect(vaults.filter(({ chain }) => chain === 'base')).toHaveLength(44);
    expect(vaults.filter(({ chain }) => chain === 'ethereum')).toHaveLength(95);
  });

  it('behavior: addresses come out with their checksum; facts may be missing', () => {
    const entry = buildRegistryEntry({ facts: {} });
    const lower = { ...entry, asset: { ...entry.asset, address: entry.asset.address.toLowerCase() } };
    expect(parseRegistry({ vaults: [lower] })).toEqual([entry]);
  });

  it.each([
    ['not an object', null],
    ['no list', {}],
    ['an unknown property', { vaults: [{ ...buildRegistryEntry(), extra: 1 }] }],
    ['an unknown fact', { vaults: [buildRegistryEntry({ facts: { oracle: 'tarot' } as never })] }],
    ['a share above one', { vaults: [buildRegistryEntry({ facts: { liquidity: 1.5 } })] }],
    ['no address', { vaults: [buildRegistryEntry({ address: '0x12' })] }],
    ['no date', { vaults: [buildRegistryEntry({ firstSeen: 'yesterday' })] }],
    ['the same vault twice', { vaults: [buildRegistryEntry(), buildRegistryEntry({ name: 'Again' })] }],
  ])('error: RegistryError for %s', (_, json) => {
    expect(problemsOf(json)).toHaveLength(1);
  });

  it('error: RegistryError lists every problem', () => {
    const entry = buildRegistryEntry({ address: '0x1', chainId: 0 });
    expect(problemsOf({ vaults: [entry] })).toEqual([
      expect.stringContaining('vaults.0.chainId'),
      expect.stringContaining('vaults.0.address'),
    ]);
  });
});
