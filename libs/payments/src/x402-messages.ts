import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import type { PaymentRequirementsV1 } from '@x402/core/types/v1';
import { errorCatalogue } from '@yield-vault/protocol';
import type { SettlementOutcome } from './ports.js';
import type { Payment, PaymentChallenge, PaymentTerms, PricedResource } from './types.js';

const { error } = errorCatalogue.PAYMENT_REQUIRED;
const mimeType = 'application/json';

/** Encode terms as x402 v2 payment requirements. */
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

/** Encode a payment as an x402 v2 payload. Both versions sign the same authorization. */
export function toPayload({ terms, authorization, signature }: Payment): PaymentPayload {
  const { value, validAfter, validBefore, ...rest } = authorization;
  const times = { validAfter: String(validAfter), validBefore: String(validBefore) };
  return {
    x402Version: 2,
    accepted: toRequirements(terms),
    payload: { signature, authorization: { ...rest, value: String(value), ...times } },
  };
}

/**
 * Build the 402 of a resource: v2 in the header, v1 in the body.
 *
 * @param reason - code of the refusal, for the v2 header
 */
export function buildChallenge(
  resource: PricedResource,
  requestId: string,
  reason: string = error,
): PaymentChallenge {
  const { url, description, terms } = resource;
  const discovery = resource.describe?.('outline');
  const required = encodePaymentRequiredHeader({
    x402Version: 2,
    error: reason,
    resource: { url, description, mimeType },
    accepts: terms.map(toRequirements),
    extensions: discovery?.extensions,
  });
  const accepts = terms.flatMap((each) =>
    each.chain.v1Network === undefined
      ? []
      : [toRequirementsV1(each, each.chain.v1Network, resource, discovery?.outputSchema)],
  );
  return {
    headers: { 'PAYMENT-REQUIRED': required, 'Cache-Control': 'no-store' },
    body: { x402Version: 1, error, accepts, code: 'PAYMENT_REQUIRED', requestId },
  };
}

/** Build the receipt header of a payment, in the payment's own x402 version. */
export function buildReceipt(payment: Payment, outcome: SettlementOutcome): Record<string, string> {
  const { version, header, terms, authorization } = payment;
  const network = version === 1 ? (terms.chain.v1Network as SettleResponse['network']) : terms.network;
  const receipt = encodePaymentResponseHeader({
    success: outcome.kind === 'settled',
    ...(outcome.kind === 'refused' && { errorReason: outcome.reason }),
    transaction: outcome.kind === 'settled' ? outcome.transaction : '',
    network,
    payer: authorization.from,
  });
  return { [header === 'X-PAYMENT' ? 'X-PAYMENT-RESPONSE' : 'PAYMENT-RESPONSE']: receipt };
}

/** v1 clients reject a relative URL, a missing media type, and `null` in place of an object. */
function toRequirementsV1(
  terms: PaymentTerms,
  v1Network: string,
  resource: PricedResource,
  outputSchema: PaymentRequirementsV1['outputSchema'] = {},
): PaymentRequirementsV1 {
  const { amount, network: _, ...rest } = toRequirements(terms);
  return {
    ...rest,
    // The package's type requires CAIP-2, which v1 does not use.
    network: v1Network as PaymentRequirementsV1['network'],
    maxAmountRequired: amount,
    resource: resource.url,
    description: resource.description,
    mimeType,
    outputSchema,
    extra: rest.extra,
  };
}
