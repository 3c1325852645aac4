import { sameHex, type UserOperation } from '@yield-vault/protocol';
import { nonceKey, splitNonce } from '@yield-vault/smart-account';
import { invalid } from '../errors.js';
import type { ExecutionChain } from '../ports.js';

/**
 * Check that the operation is validated by our module and paid by our paymaster.
 *
 * @throws {TransactionValidationError} with reason WRONG_NONCE_KEY or WRONG_PAYMASTER
 */
export function checkPolicy(operation: UserOperation, chain: ExecutionChain): void {
  if (splitNonce(operation.nonce).key !== nonceKey(chain.contracts.validator)) {
    throw invalid('WRONG_NONCE_KEY', 'The key of the nonce does not select the intent validator module.');
  }
  if (!operation.paymaster || !sameHex(operation.paymaster, chain.contracts.paymaster)) {
    throw invalid('WRONG_PAYMASTER', `The paymaster on ${chain.key} is another.`, {
      expected: chain.contracts.paymaster,
    });
  }
}
