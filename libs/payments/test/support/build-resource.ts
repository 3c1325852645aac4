import { priceResources } from '../../src/price-resources.js';
import type { PaymentChain } from '../../src/types.js';
import type { PricedResource } from '../../src/types.js';
import { twoChains } from './build-chain.js';
import { testOptions } from './build-payments.js';

/** Build the priced resource `prepare`. */
export function buildResource(chains: readonly PaymentChain[] = twoChains): PricedResource {
  const resource = priceResources({ ...testOptions, maxTimeoutSeconds: 120 }, chains).get('prepare');
  if (!resource) throw new Error('prepare has no price');
  return resource;
}
