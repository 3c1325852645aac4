import { type IntentLeaf, intentLeafHash, sameHex, verifyIntentProof } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { invalid } from '../errors.js';

/**
 * Check that a proof leads from the leaf of the operation to the merkle root.
 *
 * @param proofs - one for the operation, or none at all, which means the empty one
 * @returns the proof
 * @throws {TransactionValidationError} with reason MERKLE_ROOT_MISMATCH when the operation alone is not the root,
 *   INVALID_PROOF when a given proof leads elsewhere
 */
export function checkProof(
  merkleRoot: Hex,
  leaf: IntentLeaf,
  proofs: readonly (readonly Hex[])[],
): readonly Hex[] {
  const [proof = [], ...others] = proofs;
  if (others.length > 0) throw invalid('INVALID_PROOF', 'There is one proof for the one operation.');
  if (proof.length === 0) {
    if (!sameHex(intentLeafHash(leaf), merkleRoot)) {
      throw invalid('MERKLE_ROOT_MISMATCH', 'The merkle root does not follow from the operation.');
    }
  } else if (!verifyIntentProof(merkleRoot.toLowerCase() as Hex, leaf, proof)) {
    throw invalid('INVALID_PROOF', 'The proof does not lead from the operation to the merkle root.');
  }
  return proof;
}
