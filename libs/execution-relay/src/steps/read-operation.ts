import { fromWireUserOperation, type UserOperation, type WireUserOperation } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { invalid } from '../errors.js';

/**
 * Read the user operation of an envelope; hex in lower case.
 *
 * @throws {TransactionValidationError} with reason UNSUPPORTED_ENVELOPE when a number does not fit, initCode is
 *   given, or the paymaster fields are cut short
 */
export function readOperation(wire: WireUserOperation): UserOperation {
  try {
    const operation = fromWireUserOperation(wire);
    return { ...operation, callData: operation.callData.toLowerCase() as Hex };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid('UNSUPPORTED_ENVELOPE', `userOperation: ${error.message}.`);
  }
}
