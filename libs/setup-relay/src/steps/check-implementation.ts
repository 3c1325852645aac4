import { sameHex, type SetupTicket } from '@yield-vault/protocol';
import { ticketRejected } from '../errors.js';
import type { SetupChain } from '../ports.js';

/**
 * Check that a ticket names the account implementation of this deployment.
 *
 * @throws {SetupTicketRejectedError} when it names another
 */
export function checkImplementation(ticket: SetupTicket, chain: SetupChain): void {
  if (!sameHex(ticket.implementation, chain.contracts.account)) {
    throw ticketRejected('implementation-match', `The implementation on ${chain.key} is another.`, {
      expected: chain.contracts.account,
    });
  }
}
