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

const name = 'vaults.fyi';
const pageSize = 1_000;
const maxPages = 50;
const networks: Readonly<Record<number, string>> = { 1: 'mainnet', 8453: 'base' };
const severe = new Set(['critical', 'high']);

const pageSchema = z.object({ nextPage: z.int().nullish(), data: z.array(z.unknown()) });
const vaultSchema = z.object({
  address: sourceAddress,
  network: z.object({ chainId: z.int() }),
  name: optionalText,
  protocol: z.object({ name: z.string() }).nullish().catch(undefined),
  curator: z
    .union([z.string(), z.object({ name: z.string() }).transform((curator) => curator.name)])
    .nullish()
    .catch(undefined),
  asset: sourceAsset,
  apy: z
    .object({ '7day': z.object({ base: optionalNumber }).nullish() })
    .nullish()
    .catch(undefined),
  // Amounts come as text.
  tvl: z.object({ usd: numeric }).nullish().catch(undefined),
  isCorrupted: z.boolean().nullish(),
  flags: z.array(z.object({ severity: z.string() })).nullish(),
});

/**
 * vaults.fyi, version 2. It charges for each vault, so ask it seldom.
 *
 * @param options.url - of the service, e.g. `https://api.vaults.fyi`
 * @param options.key - of the account; never part of a text or a log
 */
export function createVaultsFyiSource({
  url,
  key,
}: {
  readonly url: string;
  readonly key: string | undefined;
}): CatalogueSource {
  const client = createJsonClient({ name });
  return {
    name,
    load: async (chainIds, signal) => {
      const allowed = chainIds.flatMap((chainId) => networks[chainId] ?? []);
      if (allowed.length === 0) return [];
      const items = await readPages(client, `${url}/v2/detailed-vaults`, allowed, { key, signal });
      return readItems(name, vaultSchema, items)
        .filter(({ network }) => chainIds.includes(network.chainId))
        .map(toRecord);
    },
  };
}

async function readPages(
  client: JsonClient,
  url: string,
  allowed: readonly string[],
  { key, signal }: { readonly key: string | undefined; readonly signal: AbortSignal },
): Promise<unknown[]> {
  const headers = key === undefined ? undefined : { 'x-api-key': key };
  const items: unknown[] = [];
  let next: number | null | undefined = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page: z.infer<typeof pageSchema> = await client.get(
      `${url}?${queryOf(next, allowed)}`,
      pageSchema,
      {
        headers,
        signal,
      },
    );
    items.push(...page.data);
    next = page.nextPage;
    if (next === null || next === undefined) return items;
  }
  throw new UpstreamFailure(name, 'the answer does not end');
}

function queryOf(page: number, allowed: readonly string[]): string {
  // What it hides by default are the very vaults that it warns of.
  const query = new URLSearchParams({
    ...{ page: String(page), perPage: String(pageSize), minTvl: '0' },
    ...{ allowCorrupted: 'true', allowVaultsWithWarnings: 'true' },
  });
  for (const network of allowed) query.append('allowedNetworks', network);
  return query.toString();
}

function toRecord(vault: z.infer<typeof vaultSchema>): SourceRecord {
  const { address, network, asset, curator, flags } = vault;
  return {
    ...{ chainId: network.chainId, address, name: vault.name, protocol: vault.protocol?.name },
    ...(asset && { asset: { address: asset.address, symbol: asset.symbol, decimals: asset.decimals } }),
    ...(curator && { curators: [curator] }),
    // Version 2 says fractions; version 1 said basis points.
    apy: percentOfFraction(vault.apy?.['7day']?.base),
    tvlUsd: vault.tvl?.usd,
    flags: [
      ...(vault.isCorrupted ? ['corrupted'] : []),
      ...(flags ?? []).map(({ severity }) =>
        severe.has(severity.toLowerCase()) ? 'red-warning' : 'warning:vaults-fyi',
      ),
    ],
  };
}
