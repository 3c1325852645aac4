import { z } from 'zod';
import { createJsonClient } from '../../http/create-json-client.js';
import type { CatalogueSource, SourceRecord } from '../catalogue-source.js';
import {
  optionalNumber,
  optionalText,
  percentOfFraction,
  readItems,
  sourceAddress,
  sourceAsset,
} from './read-items.js';

const name = 'yearn-kong';

const vaultSchema = z.object({
  chainId: z.int(),
  address: sourceAddress,
  name: optionalText,
  asset: sourceAsset,
  tvl: optionalNumber,
  performance: z
    .object({ historical: z.object({ weeklyNet: optionalNumber }).nullish() })
    .nullish()
    .catch(undefined),
  isRetired: z.boolean().nullish(),
  isHidden: z.boolean().nullish(),
  riskLevel: optionalNumber,
});
const worstRiskLevel = 5;

/**
 * Yearn's index of its vaults.
 *
 * @param options.url - of the service, e.g. `https://kong.yearn.fi`
 */
export function createKongSource({ url }: { readonly url: string }): CatalogueSource {
  const client = createJsonClient({ name });
  return {
    name,
    load: async (chainIds, signal) => {
      const lists = await Promise.all(
        chainIds.map((chainId) =>
          client.get(`${url}/api/rest/list/vaults/${chainId}`, z.array(z.unknown()), { signal }),
        ),
      );
      return readItems(name, vaultSchema, lists.flat())
        .filter(({ chainId }) => chainIds.includes(chainId))
        .map(toRecord);
    },
  };
}

function toRecord(vault: z.infer<typeof vaultSchema>): SourceRecord {
  const { chainId, address, asset, tvl, riskLevel } = vault;
  return {
    ...{ chainId, address, name: vault.name, protocol: 'yearn-v3', tvlUsd: tvl },
    ...(asset && { asset: { address: asset.address, symbol: asset.symbol, decimals: asset.decimals } }),
    // Kong exports fractions.
    apy: percentOfFraction(vault.performance?.historical?.weeklyNet),
    flags: [
      ...(vault.isRetired ? ['retired'] : []),
      ...(vault.isHidden ? ['warning:hidden'] : []),
      ...(riskLevel === worstRiskLevel ? ['warning:yearn-risk-level-5'] : []),
    ],
  };
}
