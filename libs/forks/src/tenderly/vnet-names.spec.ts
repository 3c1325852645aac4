import { createVnetNames } from './vnet-names.js';

const staging = createVnetNames('staging');
const name = { kind: 'persistent', chain: 'base', id: 'f-12ab' } as const;

describe('createVnetNames', () => {
  it('default: a slug tells what it names', () => {
    expect(staging.slugOf(name)).toBe('yield-vault-staging-persistent-base-f-12ab');
    expect(staging.parse(staging.slugOf(name))).toEqual(name);
  });

  it('behavior: slugs have letters, digits and dashes only', () => {
    expect(createVnetNames('Pre Production!').slugOf({ ...name, chain: 'arbitrum_one' })).toBe(
      'yield-vault-preproduction-persistent-arbitrumone-f-12ab',
    );
  });

  it.each([
    createVnetNames('production').slugOf(name),
    createVnetNames('staging2').slugOf(name),
    'yield-vault-staging',
    'yield-vault-staging-persistent-base',
    'yield-vault-staging-other-base-f-12ab',
    'my-yield-vault-staging-persistent-base-f-12ab',
  ])('behavior: %s is of somebody else', (slug) => {
    expect(staging.parse(slug)).toBeUndefined();
  });
});
