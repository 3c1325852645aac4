import { findError, isNamed } from '@yield-vault/protocol';
import {
  FeeCapTooLowError,
  InsufficientFundsError,
  IntrinsicGasTooHighError,
  IntrinsicGasTooLowError,
  TipAboveFeeCapError,
  TransactionTypeNotSupportedError,
} from 'viem';
import type { BundlerRejection } from './bundler/bundler-rejection.js';
import { messageOf } from './rpc/node-errors.js';
import { isUnsent, upstreamReason } from './rpc/upstream-reason.js';

/**
 * What a failed send proves:
 * - `refused`: the receiver rejected it, and will not include it.
 * - `unknown`: it may have been accepted. Only the chain decides.
 * - `unsent`: no byte of it left this process.
 */
export type FailedSend = 'refused' | 'unknown' | 'unsent';

/** ERC-4337 and ERC-7769: rejections of one user operation. Codes of reputation (-32504, -32505) may pass. */
export const rejectionCodes: ReadonlySet<number> = new Set([
  -32500, -32501, -32502, -32503, -32506, -32507, -32508, -32521,
]);
const invalidParameters = -32602;
const namesField =
  /\b(sender|nonce|signature|factory(Data)?|initCode|callData|callGasLimit|verificationGasLimit|preVerificationGas|maxFeePerGas|maxPriorityFeePerGas|paymaster\w*|eip7702Auth)\b/i;
// Rundler (Alchemy) checks fees and gas before anything else, and says so under the code of every other error.
const isPrecheck = (message: string) => /^precheck failed: \w+ is \d+ but must be at least \d+/.test(message);
// A gateway may send an operation twice. The error of the second attempt then reports a duplicate.
const isDuplicateError = (message: string) =>
  /\b(already|known|in[- ]?flight|pending|duplicate|replac\w*|underpriced|mempool|bump)\b/i.test(message);
const usedCodes = new Set<string | undefined>(['AA10', 'AA25']);

/** Classify the failed send of a user operation. Everything that is no proven rejection is `unknown`. */
export function classifyOperationSend(error: unknown): FailedSend {
  if (isUnsent(error)) return 'unsent';
  if (!isNamed<BundlerRejection>(error, 'BundlerRejection')) return 'unknown';
  const { aaCode, bundlerCode, message } = error;
  if (usedCodes.has(aaCode) || isDuplicateError(message)) return 'unknown';
  const isRejection =
    rejectionCodes.has(bundlerCode) ||
    (bundlerCode === invalidParameters && namesField.test(message)) ||
    isPrecheck(message);
  return isRejection ? 'refused' : 'unknown';
}

// Not `NonceTooLowError`: this very transaction may have used the nonce.
const transactionRefusals = [
  FeeCapTooLowError,
  InsufficientFundsError,
  IntrinsicGasTooHighError,
  IntrinsicGasTooLowError,
  TipAboveFeeCapError,
  TransactionTypeNotSupportedError,
];

/** Classify the failed send of a raw transaction. Everything that is no proven rejection is `unknown`. */
export function classifyTransactionSend(error: unknown): FailedSend {
  if (isUnsent(error)) return 'unsent';
  const response = findError(error, 'RpcRequestError');
  if (!response || upstreamReason(error) !== undefined) return 'unknown';
  const message = messageOf(response).toLowerCase();
  if (isDuplicateError(message)) return 'unknown';
  const isRefusal = transactionRefusals.some(({ nodeMessage }) => nodeMessage.test(message));
  return isRefusal ? 'refused' : 'unknown';
}
