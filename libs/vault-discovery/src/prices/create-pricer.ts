import type { ActiveChain } from '@yield-vault/chains';
import { findChainFacts } from '@yield-vault/contracts';
import { getAddress } from 'viem';
import { hourSeconds } from '@yield-vault/vault-metrics';
import type { LoggerPort } from '@yield-vault/protocol';
import { priceSources } from '../ports.js';
import { createFeedPrices } from './create-feed-prices.js';
import type { AssetPrice, ExternalPrices, PricedAsset, Pricer } from './priced-assets.js';

const lastGoodSeconds = 6 * hourSeconds;
/** An asset whose last price was further from its peg is not assumed to be back. */
const maxAssumedDistance = 0.02;

export interface PricerDeps {
  readonly chain: Pick<ActiveChain, 'key' | 'chainId'>;
  readonly assets: readonly PricedAsset[];
  /** Used for assets without a feed price. */
  readonly external?: ExternalPrices | undefined;
  readonly logger: LoggerPort;
}

/**
 * Create the pricer of a chain. The price of an asset at a block is the first of: its Chainlink feed at that block; an
 * external service for that time; the last price found, for six hours; 1.00 for a dollar-pegged asset; unknown. Today's
 * price is never used for the past, and no price is looked up by symbol. A silent feed is read again at the next block; a
 * feed that contradicts the facts of its chain is not used until a restart.
 *
 * @example
 * const pricer = createPricer({ chain, assets: toPricedAssets(entries), logger });
 * const results = await readBatches(chain.rpc, toBatches(pricer.reads(), 200), BigInt(header.number));
 * (await pricer.prices(header, results)).get(asset.toLowerCase()); // { usd: 0.9998, source: 0 }
 */
export function createPricer(deps: PricerDeps): Pricer {
  const { chain, external, logger } = deps;
  const assets = deps.assets.map((asset) => ({ ...asset, address: getAddress(asset.address) }));
  const wanted = new Set<string>(assets.map(({ address }) => address));
  const facts = findChainFacts(chain.chainId);
  const fedTokens = facts ? [facts.usdc, facts.wrappedNative, ...facts.tokens] : [];
  const feeds = createFeedPrices(
    { chain, logger },
    fedTokens.filter(({ address }) => wanted.has(address)),
  );
  const lastGood = new Map<string, { readonly usd: number; readonly t: number }>();

  const found = (address: string, t: number, price: AssetPrice): AssetPrice => {
    if ((lastGood.get(address)?.t ?? -Infinity) <= t) lastGood.set(address, { usd: price.usd, t });
    return price;
  };

  const fallBack = ({ address, isUsdPegged }: PricedAsset, t: number): AssetPrice => {
    const good = lastGood.get(address);
    const before = good && good.t <= t ? good : undefined;
    if (before && t - before.t <= lastGoodSeconds) return { usd: before.usd, source: priceSources.lastGood };
    const lostPeg = before !== undefined && Math.abs(before.usd - 1) > maxAssumedDistance;
    return isUsdPegged && !lostPeg
      ? { usd: 1, source: priceSources.assumedPeg }
      : { usd: 0, source: priceSources.unknown };
  };

  return {
    reads: () => feeds.reads,
    prices: async ({ t }, results) => {
      const byFeed = feeds.at(t, results);
      const missing = assets.map(({ address }) => address).filter((address) => !byFeed.has(address));
      const stated = (await external?.(t, missing)) ?? new Map<string, number>();
      return new Map(
        assets.map((asset) => {
          const fed = byFeed.get(asset.address);
          const given = stated.get(asset.address.toLowerCase());
          const price =
            fed !== undefined
              ? found(asset.address, t, { usd: fed, source: priceSources.feed })
              : given !== undefined
                ? found(asset.address, t, { usd: given, source: priceSources.external })
                : fallBack(asset, t);
          return [asset.address.toLowerCase(), price];
        }),
      );
    },
  };
}
