import { encodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse } from '@x402/core/types';
import type { SettlementOutcome } from '../ports.js';
import type { Payment } from '../types.js';

/** Build the header that tells a payer what became of a payment, in the version and under the name that it used. */
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
