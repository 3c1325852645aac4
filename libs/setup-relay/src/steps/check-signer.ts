import { isLowS, sameHex, type SetupTicket } from '@yield-vault/protocol';
import { recoverTransactionAddress, type TransactionSerialized } from 'viem';
import { transactionRejected } from '../errors.js';
import type { SetupTransaction } from '../types.js';

/**
 * Check that the wallet of the ticket signed the transaction.
 *
 * @throws {SetupTransactionRejectedError} when somebody else did, or the signature is malleable
 */
export async function checkSigner(transaction: SetupTransaction, ticket: SetupTicket): Promise<void> {
  const signer = await recoverTransactionAddress({
    serializedTransaction: transaction.raw as TransactionSerialized,
  }).catch(() => undefined);
  if (!isLowS(transaction.signature.s) || !sameHex(signer, ticket.walletAddress)) {
    throw transactionRejected('signer-match', 'The transaction is not signed by the wallet of the ticket.');
  }
}
