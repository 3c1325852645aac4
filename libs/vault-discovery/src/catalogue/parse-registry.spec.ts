import { localRegistry } from '@yield-vault/testing/local';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { ConfigError } from '@yield-vault/protocol';
import { parseRegistry, selectProfile } from './parse-registry.js';

const problemsOf = (json: unknown): readonly string[] => {
  try {
    parseRegistry(json);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('selectProfile', () => {
  const member = buildRegistryEntry({ profiles: ['core', 'large'] });
  const other = buildRegistryEntry({ flags: ['news'] });

  it('default: the other vaults stay known and are not offered', () => {
    expect(selectProfile([member, other], 'core')).toEqual([
      member,
      { ...other, flags: ['news', 'not-offered'] },
    ]);
  });

  it('error: ConfigError when no vault has the profile', () => {
    expect(() => selectProfile([member, other], 'cor')).toThrow(ConfigError);
  });
});

const escaping = { ...buildRegistryEntry().asset, symbol: 'USDC\u001b]0;owned\u0007' };

describe('parseRegistry', () => {
  it('behavior: the file of the local deployment matches the local chains', () => {
    const file = join(__dirname, '../../../../config/registry.local.json');
    expect(parseRegistry(JSON.parse(readFileSync(file, 'utf8')))).toEqual(parseRegistry(localRegistry()));
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
    ['a share above one', { vaults: [buildRegistryEntry({ facts: { top1Share: 1.5 } })] }],
    ['no address', { vaults: [buildRegistryEntry({ address: '0x12' })] }],
    ['a name of 65 characters', { vaults: [buildRegistryEntry({ name: 'x'.repeat(65) })] }],
    ['a name with a line break', { vaults: [buildRegistryEntry({ name: 'Safe\nvault' })] }],
    ['a name that changes the direction of text', { vaults: [buildRegistryEntry({ name: 'a\u202eb' })] }],
    ['a symbol with a terminal escape', { vaults: [buildRegistryEntry({ asset: escaping })] }],
    ['a protocol with one', { vaults: [buildRegistryEntry({ protocol: 'a\u001b[31m' })] }],
    ['a curator with one', { vaults: [buildRegistryEntry({ curatorName: 'a\u009b2J' })] }],
    ['the same vault twice', { vaults: [buildRegistryEntry(), buildRegistryEntry({ name: 'Again' })] }],
  ])('error: ConfigError for %s', (_, json) => {
    expect(problemsOf(json)).toHaveLength(1);
  });

  it('error: ConfigError lists every problem', () => {
    const entry = buildRegistryEntry({ address: '0x1', chainId: 0 });
    expect(problemsOf({ vaults: [entry] })).toEqual([
      expect.stringContaining('vaults.0.chainId'),
      expect.stringContaining('vaults.0.address'),
    ]);
  });
});
