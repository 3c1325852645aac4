import type { SetupTicket } from '@yield-vault/protocol';
import { ticketRejected } from '../errors.js';

const utcPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/**
 * Check the window of a ticket: not over, and no further away than a new ticket's.
 *
 * @param options.nowMs - Unix milliseconds
 * @param options.relayed - the transaction was broadcast with this ticket before, so expiry no longer matters
 * @throws {SetupTicketRejectedError} when the ticket is malformed, expired, or lives longer than any that is issued
 */
export function checkTicketNotExpired(
  ticket: SetupTicket,
  options: { readonly nowMs: number; readonly lifetimeSeconds: number; readonly relayed: boolean },
): void {
  const expiresAtMs = utcPattern.test(ticket.expiresAt) ? Date.parse(ticket.expiresAt) : Number.NaN;
  if (ticket.version !== 1 || Number.isNaN(expiresAtMs)) {
    throw ticketRejected('ticket-not-expired', 'The ticket has no version 1 or no expiresAt in UTC.');
  }
  if (options.relayed) return;
  if (expiresAtMs <= options.nowMs) {
    throw ticketRejected('ticket-not-expired', `The ticket expired at ${ticket.expiresAt}.`);
  }
  if (expiresAtMs > options.nowMs + options.lifetimeSeconds * 1000) {
    throw ticketRejected(
      'ticket-not-expired',
      `No ticket lives longer than ${options.lifetimeSeconds} seconds; this one was altered.`,
    );
  }
}
