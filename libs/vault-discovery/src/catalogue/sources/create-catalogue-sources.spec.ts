import { createCatalogueSources } from './create-catalogue-sources.js';

const namesOf = (urls: Parameters<typeof createCatalogueSources>[0]) =>
  createCatalogueSources(urls).map(({ name }) => name);

describe('createCatalogueSources', () => {
  it('default: none without a URL', () => {
    expect(namesOf({ vaultsFyiKey: 'key' })).toEqual([]);
  });

  it('behavior: one for each URL that speaks of vaults', () => {
    const url = 'http://127.0.0.1:1';
    expect(
      namesOf({ morphoUrl: url, llamaYieldsUrl: url, llamaCoinsUrl: url, kongUrl: url, vaultsFyiUrl: url }),
    ).toEqual(['morpho', 'defillama-yields', 'yearn-kong', 'vaults.fyi']);
  });
});
