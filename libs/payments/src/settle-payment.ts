import { sameHex, UpstreamUnavailableError } from '@yield-vault/protocol';
import { alreadyUsed } from './adapters/reasons.js';
import { unconfirmed } from './errors.js';
import { locateTransfer } from './locate-transfer.js';
import type { Facilitator, SettlementOutcome } from './ports.js';
import { checkWindow } from './read-payment.js';
import type { Payment } from './types.js';

/**
 * Verify a new payment before the handler runs. The signature of a used authorization is public, so it buys nothing; but
 * a transfer that only this deployment can have sent was paid for a response that its ledger lost.
 *
 * @param nowMs - Unix milliseconds
 * @returns the reason for a refusal, or `undefined` for a valid payment
 * @throws {UpstreamUnavailableError} when the facilitator or the node is unavailable
 */
export async function verifyPayment(
  payment: Payment,
  facilitator: Facilitator,
  nowMs: number,
): Promise<string | undefined> {
  const refusal = checkWindow(payment, nowMs) ?? (await facilitator.verify(payment));
  const { sender } = facilitator;
  if (refusal !== alreadyUsed || sender === undefined) return refusal;
  const location = await locateTransfer(payment);
  if (location.kind === 'paid') return sameHex(location.sender, sender) ? undefined : refusal;
  if (location.kind === 'lost') return refusal;
  // Our node does not show the transfer yet. A payer who reads 402 now could pay twice.
  throw unconfirmed(payment.terms.chain);
}

/**
 * Settle a payment. A success of the facilitator is final. After anything else the chain decides, because a response
 * can be lost and anybody can submit a public authorization.
 *
 * @param isRepeated - an earlier attempt had an unknown outcome, so its transfer may be pending
 * @throws {UpstreamUnavailableError} when the outcome is unknown
 */
export async function settlePayment(
  payment: Payment,
  facilitator: Facilitator,
  isRepeated: boolean,
): Promise<SettlementOutcome> {
  const reported = await facilitator.settle(payment).catch((error: unknown) => {
    if (error instanceof UpstreamUnavailableError) return error;
    throw error;
  });
  const isUnknown = reported instanceof UpstreamUnavailableError;
  if (!isUnknown && reported.kind === 'settled') return reported;

  const location = await locateTransfer(payment).catch((error: unknown) => {
    throw isUnknown ? reported : error;
  });
  if (location.kind === 'paid') return { kind: 'settled', transaction: location.transaction };
  if (location.kind === 'lost') return isUnknown ? { kind: 'refused', reason: location.reason } : reported;
  if (isUnknown) throw reported;
  // The facilitator may know a use that our node does not show, or an earlier transfer may still be mined.
  const mayStillPay = location.kind === 'unclear' || reported.reason === alreadyUsed || isRepeated;
  if (mayStillPay) throw unconfirmed(payment.terms.chain);
  return reported;
}
