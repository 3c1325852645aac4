import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import type { RegistryEntry } from './parse-registry.js';
import { flagImpostors, normaliseName } from './flag-impostors.js';

const other = '0x4000000000000000000000000000000000000004';
const reviewed = buildRegistryEntry({ reviewed: '2026-11-20' });
const flagsOf = (entries: readonly RegistryEntry[]) => flagImpostors(entries).map(({ flags }) => flags);

describe('flagImpostors', () => {
  it('default: a vault with the name of a reviewed vault is flagged, in any spelling', () => {
    const impostor = buildRegistryEntry({ address: other, name: 'Stеаdy  usdc', firstSeen: '2020-01-01' });
    expect(flagsOf([impostor, reviewed])).toEqual([['impostor-name'], []]);
  });

  it('behavior: reviewed vaults may share a name', () => {
    expect(flagsOf([reviewed, { ...reviewed, address: other }])).toEqual([[], []]);
  });

  it('behavior: another chain or another asset is another name', () => {
    const { asset } = reviewed;
    const ofEthereum = buildRegistryEntry({ chainId: 1, chain: 'ethereum', address: other });
    const ofOtherAsset = buildRegistryEntry({ address: other, asset: { ...asset, address: other } });
    expect(flagsOf([reviewed, ofEthereum, ofOtherAsset])).toEqual([[], [], []]);
  });

  it('behavior: where none is reviewed the oldest keeps the name', () => {
    const young = buildRegistryEntry({ address: other, firstSeen: '2025-01-01' });
    const ageless = buildRegistryEntry({ firstSeen: undefined });
    expect(flagsOf([ageless, young, buildRegistryEntry()])).toEqual([
      ['impostor-name'],
      ['impostor-name'],
      [],
    ]);
  });

  it('behavior: a candidate never takes the name of a vault that is offered, however old it says it is', () => {
    const candidate = buildRegistryEntry({ address: other, status: 'candidate', firstSeen: '1970-01-01' });
    expect(flagsOf([candidate, buildRegistryEntry()])).toEqual([['impostor-name'], []]);
  });
});

const prime = normaliseName('Steakhouse Prime USDC');

describe('normaliseName', () => {
  it.each([
    ['case', 'STEAKHOUSE prime usdc'],
    ['spaces', '  Steakhouse   Prime\u00a0USDC '],
    ['punctuation', 'Steakhouse-Prime (USDC)'],
    ['invisible characters', 'Steak\u200bhouse Prime USDC\u2060'],
    ['Cyrillic letters', 'Ѕtеаkhоuѕе Рrіmе UЅDС'],
    ['Greek letters', 'Steakhοuse Primε USDC'],
    ['one for l and i', 'Steakhouse Pr1me USDC'],
    ['rn for m', 'Steakhouse Prirne USDC'],
  ])('default: %s makes no other name', (_, name) => {
    expect(normaliseName(name)).toBe(prime);
  });

  it.each(['Steakhouse Prime USDT', 'Steakhouse USDC', 'Steakhouse Prime USDC 2'])(
    'behavior: %s is another name',
    (name) => {
      expect(normaliseName(name)).not.toBe(prime);
    },
  );
});
