import { fromWireUserOperation, userOperationHash } from '@yield-vault/protocol';
import { decodeIntentSignature } from '@yield-vault/smart-account';
import type { ExecutionChains, IntentRecord } from '../ports.js';
import type { VerifiedIntent } from '../types.js';

/**
 * Make an intent of the ledger ready to work on again.
 *
 * @returns `undefined` when its chain is no longer active, or has another entry point: that one knows nothing of it
 */
export function restoreIntent(record: IntentRecord, chains: ExecutionChains): VerifiedIntent | undefined {
  const chain = chains.findById(record.chainId);
  if (!chain) return undefined;
  const operation = fromWireUserOperation(record.userOperation);
  if (userOperationHash(operation, chain.entryPoint, chain.chainId) !== record.userOpHash) return undefined;
  const { expiry, validAfter } = decodeIntentSignature(operation.signature);
  return {
    intentId: record.intentId,
    chain,
    operation,
    userOpHash: record.userOpHash,
    expiry,
    validAfter,
  };
}
