import type { Pricer } from '../src/prices/priced-assets.js';

/** A pricer that reads nothing and knows these prices, by address in lower case. */
export const fixedPricer = (
  prices: Awaited<ReturnType<Pricer['prices']>> = new Map<never, never>(),
): Pricer => ({ reads: () => [], prices: () => Promise.resolve(prices) });
