import { UpstreamFailure } from '@yield-vault/chains';
import { z } from 'zod';
import { createJsonClient, type JsonClient } from '../../http/create-json-client.js';
import type { CatalogueSource, SourceRecord } from '../catalogue-source.js';
import {
  numeric,
  optionalNumber,
  optionalText,
  percentOfFraction,
  readItems,
  sourceAddress,
  sourceAsset,
} from './read-items.js';

const name = 'morpho';
/** It refuses queries by what they could cost, and the markets of a vault count. */
const pageSize = 200;
const maxPages = 50;
/** Smaller vaults are mostly tries, and anybody can make them. */
const minTvlUsd = 10_000;
/** Part of a vault that may lie in a market with a red warning before the vault itself counts as warned of. */
const tolerableShare = 0.01;

const warningsSchema = z
  .array(z.object({ type: z.string(), level: z.string() }))
  .nullish()
  .transform((warnings) => warnings ?? []);
const identity = {
  address: sourceAddress,
  name: optionalText,
  listed: z.boolean().nullish(),
  warnings: warningsSchema,
  asset: sourceAsset,
  chain: z.object({ id: z.int() }),
};
const firstVersion = z.object({
  ...identity,
  state: z
    .object({
      totalAssetsUsd: optionalNumber,
      avgNetApyExcludingRewards: optionalNumber,
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
  totalAssetsUsd: optionalNumber,
  avgNetApyExcludingRewards: optionalNumber,
  curators: z
    .object({ items: z.array(z.object({ name: z.string() })) })
    .nullish()
    .catch(undefined),
});

/** GraphQL may answer in part: what it has, beside the errors about the rest. */
const answerSchema = z.object({
  data: z.object({ vaults: z.object({ items: z.array(z.unknown()) }).nullish() }).nullish(),
  errors: z.array(z.unknown()).nullish(),
});

/** How much of a vault can leave; asked apart, because its fields are no documented promise. */
const amount = numeric.pipe(z.number().nonnegative());
const liquiditySchema = z.object({
  address: sourceAddress,
  chain: z.object({ id: z.int() }),
  liquidity: z.union([amount, z.object({ underlying: amount }).transform(({ underlying }) => underlying)]),
  totalAssets: amount.optional(),
  state: z.object({ totalAssets: amount }).optional(),
});

const common = 'address name listed warnings { type level } asset { address symbol decimals } chain { id }';
const where = '$chainIds: [Int!], $minTvlUsd: Float, $first: Int, $skip: Int';
const filter =
  'first: $first, skip: $skip, orderBy: TotalAssetsUsd, where: { chainId_in: $chainIds, totalAssetsUsd_gte: $minTvlUsd }';
const firstVersionQuery = `query (${where}) { vaults: vaults(${filter}) { items { ${common} state {
  totalAssetsUsd avgNetApyExcludingRewards(lookback: ONE_DAY) curators { name }
  allocation { supplyAssetsUsd market { warnings { type level } } } } } } }`;
const secondVersionQuery = `query (${where}) { vaults: vaultV2s(${filter}) { items { ${common}
  totalAssetsUsd avgNetApyExcludingRewards curators { items { name } } } } }`;
const firstLiquidityQuery = `query (${where}) { vaults: vaults(${filter}) { items { address chain { id }
  liquidity { underlying } state { totalAssets } } } }`;
const secondLiquidityQuery = `query (${where}) { vaults: vaultV2s(${filter}) { items { address chain { id }
  liquidity totalAssets } } }`;

/**
 * The GraphQL interface of Morpho, for vaults of both versions.
 *
 * @param options.url - of the interface, e.g. `https://api.morpho.org/graphql`
 */
export function createMorphoSource({ url }: { readonly url: string }): CatalogueSource {
  const client = createJsonClient({ name });
  return {
    name,
    load: async (chainIds, signal) => {
      const ask = (query: string) => readPages(client, url, query, { chainIds, signal });
      const [first, second, ...liquid] = await Promise.all([
        ask(firstVersionQuery),
        ask(secondVersionQuery),
        ask(firstLiquidityQuery).catch(withoutThem),
        ask(secondLiquidityQuery).catch(withoutThem),
      ]);
      const liquidity = liquidities(liquid.flat());
      const records = [
        ...readItems(name, firstVersion, first).map(ofFirstVersion),
        ...readItems(name, secondVersion, second).map(ofSecondVersion),
      ];
      return records
        .filter(({ chainId }) => chainIds.includes(chainId))
        .map((record) => ({ ...record, liquidity: liquidity.get(keyOf(record.chainId, record.address)) }));
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
    const { data } = await client.post(url, { query, variables }, answerSchema, { signal });
    if (!data?.vaults) throw new UpstreamFailure(name, 'the query was refused');
    items.push(...data.vaults.items.filter((item) => item !== null));
    if (data.vaults.items.length < pageSize) return items;
  }
  throw new UpstreamFailure(name, 'the answer does not end');
}

function withoutThem(error: unknown): unknown[] {
  if (error instanceof UpstreamFailure) return [];
  throw error;
}

const keyOf = (chainId: number, address: string): string => `${chainId} ${address}`;

function liquidities(items: readonly unknown[]): ReadonlyMap<string, number> {
  return new Map(
    items.flatMap((item) => {
      const { data } = liquiditySchema.safeParse(item);
      const total = data?.totalAssets ?? data?.state?.totalAssets ?? 0;
      return data && total > 0
        ? [[keyOf(data.chain.id, data.address), Math.min(data.liquidity / total, 1)] as const]
        : [];
    }),
  );
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
    apy: percentOfFraction(state?.avgNetApyExcludingRewards),
    tvlUsd: state?.totalAssetsUsd,
    curators: (state?.curators ?? []).map((curator) => curator.name),
  };
}

function ofSecondVersion(vault: z.infer<typeof secondVersion>): SourceRecord {
  return {
    ...recordOf(vault, []),
    apy: percentOfFraction(vault.avgNetApyExcludingRewards),
    tvlUsd: vault.totalAssetsUsd,
    curators: (vault.curators?.items ?? []).map((curator) => curator.name),
  };
}

function recordOf(
  { address, chain, listed, warnings, asset, ...vault }: z.infer<z.ZodObject<typeof identity>>,
  marketFlags: readonly string[],
): Omit<SourceRecord, 'curators' | 'apy' | 'tvlUsd'> {
  const own = warnings.map(({ type, level }) => (level === 'RED' ? 'red-warning' : `warning:${type}`));
  return {
    ...{ chainId: chain.id, address, name: vault.name, protocol: 'morpho' },
    ...(asset && { asset: { address: asset.address, symbol: asset.symbol, decimals: asset.decimals } }),
    flags: [...new Set([...(listed === false ? ['morpho-delisted'] : []), ...own, ...marketFlags])],
  };
}
