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
import { transactionRejected } from '../errors.js';
import type { SetupChain } from '../ports.js';
import { asOutage } from './as-outage.js';

const reasons = [
  [NonceTooLowError, 'NONCE_TOO_LOW'],
  [NonceTooHighError, 'NONCE_TOO_HIGH'],
  [InsufficientFundsError, 'INSUFFICIENT_FUNDS'],
  [FeeCapTooLowError, 'FEE_TOO_LOW'],
  [IntrinsicGasTooLowError, 'GAS_LIMIT_TOO_LOW'],
  [IntrinsicGasTooHighError, 'GAS_LIMIT_TOO_HIGH'],
] as const;

// Nodes keep one waiting transaction for a delegated wallet; it is room that is missing, not the transaction that is wrong.
const busyWallet = /in-flight transaction limit/i;

/**
 * Read why a node did not take a transaction: refused by its rules, or no answer.
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
