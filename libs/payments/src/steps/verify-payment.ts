import { unconfirmed } from '../errors.js';
import { alreadyUsed } from '../facilitators/reasons.js';
import type { Facilitator } from '../ports.js';
import type { Payment } from '../types.js';
import { checkWindow } from './check-window.js';
import { locateTransfer } from './locate-transfer.js';

/**
 * Check a payment before anything is done for it. An authorization that somebody else carried out has paid us all the
 * same.
 *
 * @param nowMs - Unix milliseconds
 * @returns why it is refused, or `undefined` when it is good
 * @throws {UpstreamUnavailableError} when that cannot be told now
 */
export async function verifyPayment(
  payment: Payment,
  facilitator: Facilitator,
  nowMs: number,
): Promise<string | undefined> {
  const refusal = checkWindow(payment, nowMs) ?? (await facilitator.verify(payment));
  if (refusal !== alreadyUsed) return refusal;
  const { kind } = await locateTransfer(payment);
  if (kind === 'paid') return undefined;
  if (kind === 'lost') return refusal;
  // Our node does not know of the use yet, or not whom it paid: who is asked to pay anew may have paid.
  throw unconfirmed(payment.terms.chain);
}
