import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import { createJsonClient } from '../http/create-json-client.js';
import type { ExternalPrice, ExternalPrices } from './priced-assets.js';

/** As DeFiLlama names chains, by chain id. */
const chainNames: Readonly<Record<number, string>> = { 1: 'ethereum', 8453: 'base' };
const minConfidence = 0.9;
/** Keeps a URL below 2,000 characters. */
const assetsPerQuestion = 30;
const searchWidth = '2h';

const responseSchema = z.object({ coins: z.record(z.string(), z.unknown()) });
const coinSchema = z.object({
  price: z.number().min(1e-9).max(1e9),
  timestamp: z.number().int().positive(),
  confidence: z.number().min(minConfidence),
});

export interface LlamaPricesOptions {
  /** Of the coins service, e.g. `https://coins.llama.fi`. */
  readonly url: string;
  /** Deadline of one request with its retries. */
  readonly deadlineMs?: number;
}

/**
 * Read prices of DeFiLlama, by chain and contract. Prices of low confidence are left out.
 *
 * @example
 * createLlamaPrices({ url: 'https://coins.llama.fi' }).current(8453, ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'])
 */
export function createLlamaPrices({ url, deadlineMs }: LlamaPricesOptions): ExternalPrices {
  const client = createJsonClient({ name: 'defillama-coins', deadlineMs });
  const base = url.replace(/\/+$/, '');

  const request = async (
    path: string,
    chainId: number,
    assets: readonly Address[],
  ): Promise<ReadonlyMap<string, ExternalPrice>> => {
    const chain = chainNames[chainId];
    const prices = new Map<string, ExternalPrice>();
    if (chain === undefined) return prices;
    for (let start = 0; start < assets.length; start += assetsPerQuestion) {
      const keys = assets
        .slice(start, start + assetsPerQuestion)
        .map((asset) => `${chain}:${getAddress(asset).toLowerCase()}`);
      const question = `${base}/prices/${path}/${keys.join(',')}?searchWidth=${searchWidth}`;
      const { coins } = await client.get(question, responseSchema);
      for (const key of keys) {
        const coin = coinSchema.safeParse(coins[key]);
        // Coins that are unknown or of low confidence are left out.
        if (coin.success)
          prices.set(key.slice(chain.length + 1), { usd: coin.data.price, t: coin.data.timestamp });
      }
    }
    return prices;
  };

  return {
    current: (chainId, assets) => request('current', chainId, assets),
    at: (chainId, assets, t) => request(`historical/${Math.floor(t)}`, chainId, assets),
  };
}
