import type { PaymentRequirements } from '@x402/core/types';
import type { PricedResource } from '../types.js';
import { toRequirements } from './to-requirements.js';

/** What `/.well-known/x402` says: the list that crawlers read, and the terms of each resource. */
export interface PriceDescription {
  readonly version: 1;
  readonly x402Version: 2;
  /** Method and path of each. */
  readonly resources: readonly string[];
  readonly items: readonly {
    readonly resource: string;
    readonly type: 'http';
    readonly method: string;
    readonly description: string;
    readonly accepts: readonly PaymentRequirements[];
  }[];
}

/** Describe what costs how much, for the well-known document. */
export function describePrices(priced: Iterable<PricedResource>): PriceDescription {
  const all = [...priced];
  return {
    version: 1,
    x402Version: 2,
    resources: all.map(({ method, path }) => `${method} ${path}`),
    items: all.map(({ url, method, description, terms }) => ({
      resource: url,
      type: 'http',
      method,
      description,
      accepts: terms.map(toRequirements),
    })),
  };
}
