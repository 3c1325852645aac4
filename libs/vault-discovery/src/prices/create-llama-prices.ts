import type { ActiveChain } from '@yield-vault/chains';
import { findChainFacts } from '@yield-vault/contracts';
import { hourSeconds } from '@yield-vault/vault-metrics';
import pLimit from 'p-limit';
import type { Address } from 'viem';
import { z } from 'zod';
import type { LoggerPort } from '@yield-vault/protocol';
import { createJsonClient } from '../http/create-json-client.js';
import type { ExternalPrices } from './priced-assets.js';

const minConfidence = 0.9;
/** Keeps a URL below 2,000 characters. */
const assetsPerQuestion = 30;
const searchWidth = '2h';
/** A price further away than this is not the price of the requested time. */
const maxAgeSeconds = 2 * hourSeconds;
/** A time this close to now is looked up as now. */
const currentSeconds = hourSeconds;
const currentLifeMs = 60_000;
const maxCached = 2_000;

const responseSchema = z.object({ coins: z.record(z.string(), z.unknown()) });
const coinSchema = z.object({
  price: z.number().min(1e-9).max(1e9),
  timestamp: z.number().int().positive(),
  confidence: z.number().min(minConfidence),
});

export interface LlamaPricesDeps {
  /** Of the coins service, e.g. `https://coins.llama.fi`. */
  readonly url: string;
  readonly chain: Pick<ActiveChain, 'key' | 'chainId'>;
  readonly logger: LoggerPort;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
}

type Coins = ReadonlyMap<string, { readonly usd: number; readonly t: number }>;

/**
 * Read prices of DeFiLlama, by contract: the present for a minute, the past by the hour. Prices of low confidence are
 * left out. Requests for the past run one at a time, because a backfill makes hundreds of them.
 *
 * @example
 * const prices = createLlamaPrices({ url: 'https://coins.llama.fi', chain, logger, now: Date.now });
 * await prices(1_790_000_000, ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913']);
 */
export function createLlamaPrices({ url, chain, logger, now }: LlamaPricesDeps): ExternalPrices {
  const client = createJsonClient({ name: 'defillama-coins' });
  const base = url.replace(/\/+$/, '');
  const name = findChainFacts(chain.chainId)?.defiLlama?.prices;
  const cached = new Map<string, { readonly coins: Promise<Coins>; readonly until: number }>();
  const inTurn = pLimit(1);

  const request = async (path: string, assets: readonly string[]): Promise<Coins> => {
    const found = new Map<string, { readonly usd: number; readonly t: number }>();
    for (let start = 0; start < assets.length; start += assetsPerQuestion) {
      const part = assets.slice(start, start + assetsPerQuestion);
      const keys = part.map((asset) => `${name}:${asset}`).join();
      const question = `${base}/prices/${path}/${keys}?searchWidth=${searchWidth}`;
      const { coins } = await client.get(question, responseSchema);
      for (const asset of part) {
        // Coins that are unknown or of low confidence are left out.
        const { data } = coinSchema.safeParse(coins[`${name}:${asset}`]);
        if (data) found.set(asset, { usd: data.price, t: data.timestamp });
      }
    }
    return found;
  };

  const cacheFor = (key: string, lifeMs: number, load: () => Promise<Coins>): Promise<Coins> => {
    const known = cached.get(key);
    if (known && now() < known.until) return known.coins;
    const coins = load().catch((err: unknown): Coins => {
      // A failure is not cached.
      cached.delete(key);
      logger.warn({ chain: chain.key, err }, 'external prices are not available');
      return new Map();
    });
    cached.set(key, { coins, until: now() + lifeMs });
    if (cached.size > maxCached) cached.delete(cached.keys().next().value!);
    return coins;
  };

  return async (t, addresses) => {
    if (name === undefined || addresses.length === 0) return new Map();
    const assets = addresses.map((address: Address) => address.toLowerCase());
    const hour = Math.round(t / hourSeconds) * hourSeconds;
    const coins =
      Math.abs(now() / 1_000 - t) <= currentSeconds
        ? await cacheFor(`now ${assets.join()}`, currentLifeMs, () => request('current', assets))
        : await cacheFor(`${hour} ${assets.join()}`, Infinity, () =>
            inTurn(() => request(`historical/${hour}`, assets)),
          );
    return new Map(
      [...coins].flatMap(([asset, coin]) =>
        Math.abs(coin.t - t) <= maxAgeSeconds ? [[asset, coin.usd]] : [],
      ),
    );
  };
}
