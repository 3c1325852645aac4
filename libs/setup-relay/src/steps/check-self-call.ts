import { sameHex, type SetupTicket } from '@yield-vault/protocol';
import { transactionRejected } from '../errors.js';
import type { SetupTransaction } from '../types.js';

/**
 * Check that the wallet calls itself and sends no ETH.
 *
 * @throws {SetupTransactionRejectedError} when `to` is not the wallet or the value is not zero
 */
export function checkSelfCall(transaction: SetupTransaction, ticket: SetupTicket): void {
  if (!sameHex(transaction.to, ticket.walletAddress)) {
    throw transactionRejected('self-call', 'The transaction does not go to the wallet of the ticket.');
  }
  if (transaction.value !== 0n) {
    throw transactionRejected('self-call', 'The value of a setup transaction is 0.');
  }
}
