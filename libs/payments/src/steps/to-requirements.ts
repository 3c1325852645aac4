import type { PaymentRequirements } from '@x402/core/types';
import type { PaymentRequirementsV1 } from '@x402/core/types/v1';
import type { PaymentTerms, PricedResource } from '../types.js';

/** Write terms as x402 v2 does. */
export function toRequirements(terms: PaymentTerms): PaymentRequirements {
  const { chain, network, payTo, amount, maxTimeoutSeconds } = terms;
  return {
    scheme: 'exact',
    network,
    amount: String(amount),
    asset: chain.asset.address,
    payTo,
    maxTimeoutSeconds,
    extra: { name: chain.asset.name, version: chain.asset.version },
  };
}

/** Write terms as x402 v1 does. Its clients refuse a relative URL, a missing media type, and `null` where a record may be. */
export function toRequirementsV1(
  terms: PaymentTerms,
  v1Network: string,
  resource: PricedResource,
): PaymentRequirementsV1 {
  const { amount, network: _, ...rest } = toRequirements(terms);
  return {
    ...rest,
    // The type of the package wants CAIP-2, which v1 never had.
    network: v1Network as PaymentRequirementsV1['network'],
    maxAmountRequired: amount,
    resource: resource.url,
    description: resource.description,
    mimeType: 'application/json',
    outputSchema: {},
    extra: rest.extra,
  };
}
