import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { unconfirmed } from '../errors.js';
import type { Facilitator, SettlementOutcome } from '../ports.js';
import type { Payment } from '../types.js';
import { alreadyUsed } from '../facilitators/reasons.js';
import { locateTransfer } from './locate-transfer.js';

export interface SettlementTools {
  readonly facilitator: Facilitator;
  /** An earlier attempt had no known outcome: its transfer may still be on its way. */
  readonly isRepeated: boolean;
}

/**
 * Carry a payment out. The facilitator is believed when it says that it did; whatever else it says, the chain decides:
 * an answer may have been lost, and anybody may carry out an authorization that is in the open.
 *
 * @throws {UpstreamUnavailableError} when the outcome is unknown
 */
export async function settlePayment(payment: Payment, tools: SettlementTools): Promise<SettlementOutcome> {
  const { facilitator, isRepeated } = tools;
  const claimed = await facilitator.settle(payment).catch((error: unknown) => {
    if (error instanceof UpstreamUnavailableError) return error;
    throw error;
  });
  const isUnknown = claimed instanceof UpstreamUnavailableError;
  if (!isUnknown && claimed.kind === 'settled') return claimed;

  const location = await locateTransfer(payment).catch((error: unknown) => {
    throw isUnknown ? claimed : error;
  });
  if (location.kind === 'paid') return { kind: 'settled', transaction: location.transaction };
  if (location.kind === 'lost') return isUnknown ? { kind: 'refused', reason: location.reason } : claimed;
  if (isUnknown) throw claimed;
  // Unused as far as our node knows, yet the facilitator knows of a use; or an earlier attempt may still be mined.
  const mayStillPay = location.kind === 'unclear' || claimed.reason === alreadyUsed || isRepeated;
  if (mayStillPay) throw unconfirmed(payment.terms.chain);
  return claimed;
}
