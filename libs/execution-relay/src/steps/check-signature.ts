import { intentDigest, type IntentMessage, isLowS, sameHex } from '@yield-vault/protocol';
import { isHex, recoverAddress, size, slice, type Address, type Hex } from 'viem';
import { invalid } from '../errors.js';

const recoveryIds = new Set<string>(['0x1b', '0x1c']);

/**
 * Check that the sender signed the intent, in the one form that the validator module accepts: 65 bytes, low s,
 * v 27 or 28.
 *
 * @returns the signature
 * @throws {TransactionValidationError} with reason INVALID_SIGNATURE
 */
export async function checkSignature(
  signature: string,
  intent: IntentMessage,
  sender: Address,
): Promise<Hex> {
  if (!isHex(signature) || size(signature) !== 65 || signature.length !== 132) {
    throw invalid('INVALID_SIGNATURE', 'The signature is not 65 bytes.');
  }
  if (!isLowS(slice(signature, 32, 64)) || !recoveryIds.has(slice(signature, 64))) {
    throw invalid('INVALID_SIGNATURE', 'The signature has a high s, or a v other than 27 and 28.');
  }
  // Throws for points that are not on the curve: nobody signed that.
  const signer = await recoverAddress({ hash: intentDigest(intent), signature }).catch(() => undefined);
  if (signer === undefined || !sameHex(signer, sender)) {
    throw invalid('INVALID_SIGNATURE', 'The intent is not signed by the sender of its operation.');
  }
  return signature;
}
