import { encodePaymentRequiredHeader } from '@x402/core/http';
import { errorCatalogue } from '@yield-vault/protocol';
import type { PaymentChallenge, PricedResource } from '../types.js';
import { toRequirements, toRequirementsV1 } from './to-requirements.js';

const { error } = errorCatalogue.PAYMENT_REQUIRED;

/**
 * Build the 402 of a resource: v2 in the header, v1 in the body.
 *
 * @param reason - a code that says why the attached payment was refused; payers read it in the header
 */
export function buildChallenge(
  resource: PricedResource,
  requestId: string,
  reason: string = error,
): PaymentChallenge {
  const { url, description, terms } = resource;
  const required = encodePaymentRequiredHeader({
    x402Version: 2,
    error: reason,
    resource: { url, description, mimeType: 'application/json' },
    accepts: terms.map(toRequirements),
  });
  const accepts = terms.flatMap((each) =>
    each.chain.v1Network === undefined ? [] : [toRequirementsV1(each, each.chain.v1Network, resource)],
  );
  return {
    headers: { 'PAYMENT-REQUIRED': required, 'Cache-Control': 'no-store' },
    body: { x402Version: 1, error, accepts, code: 'PAYMENT_REQUIRED', requestId },
  };
}
