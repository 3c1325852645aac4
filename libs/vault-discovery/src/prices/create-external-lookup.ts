import type { ActiveChain } from '@yield-vault/chains';
import type { Address } from 'viem';
import pLimit from 'p-limit';
import { hourSeconds } from '../metrics/statistics.js';
import type { LoggerPort } from '../ports.js';
import type { ExternalPrice, ExternalPrices } from './priced-assets.js';

/** A price further away than this is not the price of the requested time. */
const maxAgeSeconds = 2 * hourSeconds;
/** A time this close to now is looked up as now. */
const currentSeconds = hourSeconds;
const currentLifeMs = 60_000;
const maxCached = 2_000;

/** Looks up prices at a time, Unix seconds. Never throws: prices that it cannot find are left out. */
export type ExternalLookup = (
  t: number,
  assets: readonly Address[],
) => Promise<ReadonlyMap<string, ExternalPrice>>;

export interface ExternalLookupDeps {
  readonly chain: Pick<ActiveChain, 'key' | 'chainId'>;
  /** Left out: nothing is found. */
  readonly external?: ExternalPrices;
  readonly logger: LoggerPort;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
}

type Prices = ReadonlyMap<string, ExternalPrice>;

/**
 * Create a lookup with a cache: the present for a minute, the past by the hour. Requests for the past run one at a time,
 * because a backfill makes hundreds of them.
 */
export function createExternalLookup({ chain, external, now, logger }: ExternalLookupDeps): ExternalLookup {
  if (!external) return () => Promise.resolve(new Map());
  const cached = new Map<string, { readonly prices: Promise<Prices>; readonly until: number }>();
  const inTurn = pLimit(1);

  const attempt = async (load: () => Promise<Prices>): Promise<Prices | undefined> => {
    try {
      return await load();
    } catch (error) {
      logger.warn({ chain: chain.key, err: error }, 'external prices are not available');
      return undefined;
    }
  };

  const cacheFor = async (key: string, lifeMs: number, load: () => Promise<Prices>): Promise<Prices> => {
    const known = cached.get(key);
    if (known && now() < known.until) return known.prices;
    const loading = attempt(load);
    const entry = {
      prices: loading.then((prices) => prices ?? new Map<string, never>()),
      until: now() + lifeMs,
    };
    cached.set(key, entry);
    if (cached.size > maxCached) cached.delete(cached.keys().next().value!);
    // A failure is not cached.
    if (!(await loading) && cached.get(key) === entry) cached.delete(key);
    return entry.prices;
  };

  return async (t, assets) => {
    if (assets.length === 0) return new Map();
    const hour = Math.round(t / hourSeconds) * hourSeconds;
    const prices =
      Math.abs(now() / 1_000 - t) <= currentSeconds
        ? await cacheFor(`now ${assets.join()}`, currentLifeMs, () => external.current(chain.chainId, assets))
        : await cacheFor(`${hour} ${assets.join()}`, Infinity, () =>
            inTurn(() => external.at(chain.chainId, assets, hour)),
          );
    return new Map([...prices].filter(([, price]) => Math.abs(price.t - t) <= maxAgeSeconds));
  };
}
