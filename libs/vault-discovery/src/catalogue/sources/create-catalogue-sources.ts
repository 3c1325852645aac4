import type { SourceUrls } from '../../types.js';
import type { CatalogueSource } from '../catalogue-source.js';
import { createKongSource } from './create-kong-source.js';
import { createLlamaYieldsSource } from './create-llama-yields-source.js';
import { createMorphoSource } from './create-morpho-source.js';
import { createVaultsFyiSource } from './create-vaults-fyi-source.js';

/** Make the sources of the catalogue that have a URL. */
export function createCatalogueSources(urls: SourceUrls): CatalogueSource[] {
  const { morphoUrl, llamaYieldsUrl, kongUrl, vaultsFyiUrl, vaultsFyiKey } = urls;
  return [
    ...(morphoUrl === undefined ? [] : [createMorphoSource({ url: morphoUrl })]),
    ...(llamaYieldsUrl === undefined ? [] : [createLlamaYieldsSource({ url: llamaYieldsUrl })]),
    ...(kongUrl === undefined ? [] : [createKongSource({ url: kongUrl })]),
    ...(vaultsFyiUrl === undefined ? [] : [createVaultsFyiSource({ url: vaultsFyiUrl, key: vaultsFyiKey })]),
  ];
}
