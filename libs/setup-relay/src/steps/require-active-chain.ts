import type { SetupTicket } from '@yield-vault/protocol';
import { ticketRejected } from '../errors.js';
import type { SetupChain, SetupChains } from '../ports.js';

/**
 * Find the chain of a ticket.
 *
 * @throws {SetupTicketRejectedError} when the chain is not active on this deployment
 */
export function requireActiveChain(ticket: SetupTicket, chains: SetupChains): SetupChain {
  const chain = chains.findById(ticket.chainId);
  if (!chain) {
    throw ticketRejected('chain-active', `Chain ${ticket.chainId} is not active.`, {
      supportedChains: [...chains.keys],
    });
  }
  return chain;
}
