import { transactionRejected } from '../errors.js';
import type { SetupTransaction } from '../types.js';

/**
 * Check that the transaction is for the chain of the ticket.
 *
 * @throws {SetupTransactionRejectedError} when it is for another
 */
export function checkChainId(transaction: SetupTransaction, chainId: number): void {
  if (transaction.chainId !== chainId) {
    throw transactionRejected(
      'chain-id-match',
      `The ticket is for chain ${chainId}, the transaction for chain ${transaction.chainId}.`,
    );
  }
}
