import { UpstreamFailure } from '@yield-vault/chains';
import { z } from 'zod';
import { createJsonClient, type JsonClient } from '../../http/create-json-client.js';
import type { CatalogueSource, SourceRecord } from '../catalogue-source.js';
import { optionalNumber, readItems, sourceAddress } from './read-items.js';

const name = 'morpho';
/** The service limits the cost of a query, and the markets of a vault count. */
const pageSize = 200;
const maxPages = 50;
/** Smaller vaults are mostly experiments. */
const minTvlUsd = 10_000;
/** Fraction of a vault in a market with a red warning above which the warning applies to the vault. */
const tolerableShare = 0.01;

const warningsSchema = z
  .array(z.object({ type: z.string(), level: z.string() }))
  .nullish()
  .transform((warnings) => warnings ?? []);
const identity = {
  address: sourceAddress,
  listed: z.boolean().nullish(),
  warnings: warningsSchema,
  chain: z.object({ id: z.int() }),
};
const firstVersion = z.object({
  ...identity,
  state: z
    .object({
      totalAssetsUsd: optionalNumber,
      curators: z
        .array(z.object({ name: z.string() }))
        .nullish()
        .catch(undefined),
      allocation: z
        .array(
          z.object({
            supplyAssetsUsd: optionalNumber,
            market: z.object({ warnings: warningsSchema }).nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});
const secondVersion = z.object({
  ...identity,
  curators: z
    .object({ items: z.array(z.object({ name: z.string() })) })
    .nullish()
    .catch(undefined),
});

/** GraphQL may return partial data beside errors. */
const responseSchema = z.object({
  data: z.object({ vaults: z.object({ items: z.array(z.unknown()) }).nullish() }).nullish(),
  errors: z.array(z.unknown()).nullish(),
});

const common = 'address listed warnings { type level } chain { id }';
const where = '$chainIds: [Int!], $minTvlUsd: Float, $first: Int, $skip: Int';
const filter =
  'first: $first, skip: $skip, orderBy: TotalAssetsUsd, where: { chainId_in: $chainIds, totalAssetsUsd_gte: $minTvlUsd }';
const firstVersionQuery = `query (${where}) { vaults: vaults(${filter}) { items { ${common} state {
  totalAssetsUsd curators { name }
  allocation { supplyAssetsUsd market { warnings { type level } } } } } } }`;
const secondVersionQuery = `query (${where}) { vaults: vaultV2s(${filter}) { items { ${common}
  curators { items { name } } } } }`;
/**
 * Create the source of Morpho: warnings and curators of vaults of both versions.
 *
 * @param options.url - of the interface, e.g. `https://api.morpho.org/graphql`
 */
export function createMorphoSource({ url }: { readonly url: string }): CatalogueSource {
  const client = createJsonClient({ name });
  return {
    name,
    load: async (chainIds, signal) => {
      const request = (query: string) => readPages(client, url, query, { chainIds, signal });
      // One after another, so that none goes on after another failed.
      const first = await request(firstVersionQuery);
      const second = await request(secondVersionQuery);
      const records = [
        ...readItems(name, firstVersion, first).map(ofFirstVersion),
        ...readItems(name, secondVersion, second).map(ofSecondVersion),
      ];
      return records.filter(({ chainId }) => chainIds.includes(chainId));
    },
  };
}

async function readPages(
  client: JsonClient,
  url: string,
  query: string,
  { chainIds, signal }: { readonly chainIds: readonly number[]; readonly signal: AbortSignal },
): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const variables = { chainIds, minTvlUsd, first: pageSize, skip: page * pageSize };
    const { data } = await client.post(url, { query, variables }, responseSchema, signal);
    if (!data?.vaults) throw new UpstreamFailure(name, 'the query was refused');
    items.push(...data.vaults.items.filter((item) => item !== null));
    if (data.vaults.items.length < pageSize) return items;
  }
  throw new UpstreamFailure(name, 'the response does not end');
}

function ofFirstVersion(vault: z.infer<typeof firstVersion>): SourceRecord {
  const { state } = vault;
  const total = state?.totalAssetsUsd ?? 0;
  const marketFlags = (state?.allocation ?? []).flatMap(({ supplyAssetsUsd = 0, market }) =>
    (market?.warnings ?? []).map(({ type, level }) =>
      level === 'RED' && supplyAssetsUsd > total * tolerableShare ? 'red-warning' : `warning:market-${type}`,
    ),
  );
  return {
    ...recordOf(vault, marketFlags),
    curators: (state?.curators ?? []).map((curator) => curator.name),
  };
}

const ofSecondVersion = (vault: z.infer<typeof secondVersion>): SourceRecord => ({
  ...recordOf(vault, []),
  curators: (vault.curators?.items ?? []).map((curator) => curator.name),
});

function recordOf(
  { address, chain, listed, warnings }: z.infer<z.ZodObject<typeof identity>>,
  marketFlags: readonly string[],
): SourceRecord {
  const own = warnings.map(({ type, level }) => (level === 'RED' ? 'red-warning' : `warning:${type}`));
  return {
    chainId: chain.id,
    address,
    flags: [...new Set([...(listed === false ? ['morpho-delisted'] : []), ...own, ...marketFlags])],
  };
}
