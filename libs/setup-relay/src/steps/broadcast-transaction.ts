import type { SetupTicket } from '@yield-vault/protocol';
import type { SetupChain, SetupStore } from '../ports.js';
import type { SetupTransaction } from '../types.js';
import { explainRefusal } from './explain-refusal.js';
import { findTransaction } from './find-transaction.js';
import { requireSendable } from './require-sendable.js';

/**
 * Hand the transaction to the chain unless the chain knows it already. That it was submitted is written down
 * before the node gets it.
 *
 * @throws {SetupTicketRejectedError} when the wallet needs the other setup type
 * @throws {SetupTransactionRejectedError} when the transaction cannot be mined
 * @throws {UpstreamUnavailableError} when the node does not answer and the outcome is unknown
 */
export async function broadcastTransaction(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  store: Pick<SetupStore, 'markSubmitted'>,
): Promise<void> {
  const isKnown = () => findTransaction(chain, transaction.hash);
  if (await isKnown()) return store.markSubmitted(transaction.hash);
  try {
    await requireSendable(chain, transaction, ticket);
    await store.markSubmitted(transaction.hash);
    await chain.rpc.sendRawTransaction({ serializedTransaction: transaction.raw });
  } catch (error) {
    // A refusal such as "already known" or "nonce too low" may come from this very transaction.
    if (await isKnown()) return store.markSubmitted(transaction.hash);
    throw explainRefusal(error, chain);
  }
}
