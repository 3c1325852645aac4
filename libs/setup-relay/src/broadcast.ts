import {
  SetupTicketRejectedError,
  SetupTransactionRejectedError,
  type SetupTicket,
} from '@yield-vault/protocol';
import {
  BaseError,
  FeeCapTooLowError,
  InsufficientFundsError,
  IntrinsicGasTooHighError,
  IntrinsicGasTooLowError,
  NonceTooHighError,
  NonceTooLowError,
} from 'viem';
import { getNodeError } from 'viem/utils';
import { asOutage, fromNode, transactionRejected } from './errors.js';
import type { SetupChain, SetupStore } from './ports.js';
import { isKnownToNode } from './receipt.js';
import { requireSendable } from './sendable.js';
import type { SetupTransaction } from './transaction.js';

/** An error that says that the chain did not accept the transaction, now or earlier. */
export type Refusal = SetupTicketRejectedError | SetupTransactionRejectedError;

export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof SetupTicketRejectedError || error instanceof SetupTransactionRejectedError;

/**
 * Send the transaction to the chain unless the chain knows it. The state `submitted` is stored before the node gets it.
 *
 * @throws {SetupTicketRejectedError} when the wallet needs the other setup type
 * @throws {SetupTransactionRejectedError} when the transaction cannot be mined
 * @throws {UpstreamUnavailableError} when the outcome is unknown
 */
export async function broadcastTransaction(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  store: Pick<SetupStore, 'markSubmitted'>,
): Promise<void> {
  const isKnown = () => isKnownToNode(chain, transaction.hash);
  if (await isKnown()) return store.markSubmitted(transaction.hash);
  try {
    await requireSendable(chain, transaction, ticket);
    await store.markSubmitted(transaction.hash);
    await chain.rpc.sendRawTransaction({ serializedTransaction: transaction.raw });
  } catch (error) {
    // This very transaction can cause a refusal such as "already known" or "nonce too low".
    if (await isKnown()) return store.markSubmitted(transaction.hash);
    throw explainRefusal(error, chain);
  }
}

const reasons = [
  [NonceTooLowError, 'NONCE_TOO_LOW'],
  [NonceTooHighError, 'NONCE_TOO_HIGH'],
  [InsufficientFundsError, 'INSUFFICIENT_FUNDS'],
  [FeeCapTooLowError, 'FEE_TOO_LOW'],
  [IntrinsicGasTooLowError, 'GAS_LIMIT_TOO_LOW'],
  [IntrinsicGasTooHighError, 'GAS_LIMIT_TOO_HIGH'],
] as const;

// Nodes keep one waiting transaction of a delegated wallet: the transaction is right, and can be sent later.
const busyWallet = /in-flight transaction limit/i;

/**
 * Read why a node did not accept a transaction: a refusal, or an outage.
 *
 * @returns SetupTransactionRejectedError with `details.reason`, the outage of the node, or the error itself
 */
export function explainRefusal(error: unknown, chain: Pick<SetupChain, 'key' | 'relayMode'>): unknown {
  if (!(error instanceof BaseError)) return error;
  const known = getNodeError(error, {});
  const reason = reasons.find(([errorClass]) => known instanceof errorClass)?.[1];
  if (!reason) {
    const outage = asOutage(error, chain);
    if (outage && !busyWallet.test(error.details)) return outage;
  }
  return transactionRejected('tx-broadcast', 'The node of the chain did not take the transaction.', {
    details: { reason: reason ?? 'REFUSED_BY_NODE', nodeMessage: error.details },
    retryable: busyWallet.test(error.details),
    cause: error,
  });
}

// Longer than nodes lag behind each other, and within the 128 blocks whose state every node keeps.
const lagBlocks = 64n;

/**
 * Check whether a refused transaction, submitted earlier and unknown to this node, may be mined. One address may serve
 * many nodes, and this one may lag. A nonce that was used long ago was used by another transaction.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function mayBeMined(
  chain: SetupChain,
  { nonce }: SetupTransaction,
  { walletAddress: address }: SetupTicket,
  refusal: Refusal,
): Promise<boolean> {
  if (!saysNonceIsUsed(refusal)) return false;
  const head = await fromNode(chain, chain.rpc.getBlockNumber({ cacheTime: 0 }));
  const blockNumber = head > lagBlocks ? head - lagBlocks : 0n;
  return (await fromNode(chain, chain.rpc.getTransactionCount({ address, blockNumber }))) <= nonce;
}

// A wallet whose setup type changed was delegated since the submission, which uses a nonce.
const saysNonceIsUsed = ({ details }: Refusal): boolean =>
  details.reason === 'NONCE_TOO_LOW' || details.failedCheck === 'tx-type-valid';
