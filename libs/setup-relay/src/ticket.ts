import { sameHex, type SetupTicket } from '@yield-vault/protocol';
import { ticketRejected } from './errors.js';
import type { SetupChain, SetupChains } from './ports.js';

/**
 * Read when a ticket expires, in Unix milliseconds.
 *
 * @throws {SetupTicketRejectedError} when `expiresAt` is no time
 */
export function expiryOf({ expiresAt }: SetupTicket): number {
  const expiresAtMs = Date.parse(expiresAt);
  if (!Number.isNaN(expiresAtMs)) return expiresAtMs;
  throw ticketRejected('ticket-not-expired', `expiresAt is ${expiresAt}, not a time in UTC.`);
}

// Prepare may have run on a machine whose clock is ahead.
const clockToleranceSeconds = 60;

/**
 * Check that a ticket has not expired, and lives no longer than a new one, give or take a minute between two clocks.
 *
 * @param options.nowMs - Unix milliseconds
 * @throws {SetupTicketRejectedError} when it has expired, or lives too long
 */
export function checkNotExpired(
  ticket: SetupTicket,
  { nowMs, lifetimeSeconds }: { readonly nowMs: number; readonly lifetimeSeconds: number },
): void {
  const expiresAtMs = expiryOf(ticket);
  if (expiresAtMs <= nowMs)
    throw ticketRejected('ticket-not-expired', `The ticket expired at ${ticket.expiresAt}.`);
  if (expiresAtMs > nowMs + (lifetimeSeconds + clockToleranceSeconds) * 1000)
    throw ticketRejected(
      'ticket-not-expired',
      `A ticket lives at most ${lifetimeSeconds} seconds; this one was altered.`,
    );
}

/**
 * Find the chain of a ticket.
 *
 * @throws {SetupTicketRejectedError} when the chain is not active on this deployment
 */
export function requireActiveChain({ chainId }: SetupTicket, chains: SetupChains): SetupChain {
  const chain = chains.findById(chainId);
  if (chain) return chain;
  const supportedChains = [...chains.keys];
  throw ticketRejected('chain-active', `Chain ${chainId} is not active.`, { supportedChains });
}

/**
 * Check that a ticket names the account implementation of this deployment.
 *
 * @throws {SetupTicketRejectedError} when it names another
 */
export function checkImplementation(ticket: SetupTicket, { key, contracts }: SetupChain): void {
  const expected = contracts.account;
  if (!sameHex(ticket.implementation, expected))
    throw ticketRejected('implementation-match', `The implementation on ${key} is ${expected}.`, {
      field: 'implementation',
      expected,
      given: ticket.implementation,
    });
}
