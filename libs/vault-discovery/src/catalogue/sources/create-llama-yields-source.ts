import { knownChains } from '@yield-vault/contracts';
import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { createJsonClient } from '../../http/create-json-client.js';
import type { CatalogueSource, SourceRecord } from '../catalogue-source.js';
import { readItems } from './read-items.js';

const name = 'defillama-yields';
/** About 20,000 pools in one response. */
const maxBytes = 64 * 1024 * 1024;
const deadlineMs = 45_000;

const poolSchema = z.object({
  pool: z.string(),
  chain: z.string(),
  outlier: z.boolean().nullish(),
});
type Pool = z.infer<typeof poolSchema>;
const poolsSchema = z.object({ data: z.array(z.unknown()) });
const tokensSchema = z.record(z.string(), z.unknown());

/**
 * Create the source of DeFiLlama, which knows the chart of a vault. Its pools name no contract, so they are joined with
 * its table of pool tokens. A pool whose token is no address, or is shared with another pool, is left out.
 *
 * @param options.url - of the service, e.g. `https://yields.llama.fi`
 */
export function createLlamaYieldsSource({ url }: { readonly url: string }): CatalogueSource {
  const client = createJsonClient({ name, maxBytes, deadlineMs });
  return {
    name,
    load: async (chainIds, signal) => {
      const { data } = await client.get(`${url}/pools`, poolsSchema, signal);
      const tokens = await client.get(`${url}/tokenAddress`, tokensSchema, signal);
      const records = readItems(name, poolSchema, data).flatMap((pool) => {
        const chainId = knownChains.find(({ defiLlama }) => defiLlama?.yields === pool.chain)?.chainId;
        const token = tokens[pool.pool];
        const isWanted = chainId !== undefined && chainIds.includes(chainId);
        return isWanted && typeof token === 'string' && isAddress(token, { strict: false })
          ? [toRecord(chainId, token, pool)]
          : [];
      });
      return withoutTwins(records);
    },
  };
}

const toRecord = (chainId: number, token: string, { pool, outlier }: Pool): SourceRecord => ({
  chainId,
  address: getAddress(token),
  llamaPool: pool,
  flags: outlier ? ['warning:llama-outlier'] : [],
});

function withoutTwins(records: readonly SourceRecord[]): SourceRecord[] {
  const counts = new Map<string, number>();
  const keyOf = ({ chainId, address }: SourceRecord) => `${chainId} ${address}`;
  for (const record of records) counts.set(keyOf(record), (counts.get(keyOf(record)) ?? 0) + 1);
  return records.filter((record) => counts.get(keyOf(record)) === 1);
}
