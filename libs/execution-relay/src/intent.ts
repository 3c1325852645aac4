import {
  fromWireUserOperation,
  intentDigest,
  intentLeafHash,
  isLowS,
  sameHex,
  toWireUserOperation,
  userOperationHash,
  verifyIntentProof,
} from '@yield-vault/protocol';
import { decodeIntentSignature, encodeIntentSignature } from '@yield-vault/smart-account';
import { concat, isHex, recoverAddress, size, slice, type Address, type Hex } from 'viem';
import type { CheckedEnvelope } from './envelope.js';
import { invalid } from './errors.js';
import type { ExecutionChains, IntentRecord, NewIntent } from './ports.js';
import type { VerifiedIntent } from './types.js';

/** An envelope whose merkle root follows from its operation. */
export interface RecomputedEnvelope extends CheckedEnvelope {
  readonly userOpHash: Hex;
  /** Leads from the leaf of the operation to the root. */
  readonly proof: readonly Hex[];
}

/**
 * Recompute the hash of the operation, its leaf and the merkle root.
 *
 * @throws {TransactionValidationError} with reason MERKLE_ROOT_MISMATCH when the operation alone is not the root,
 *   INVALID_PROOF when the given proof does not lead to the root
 */
export function recomputeRoot(envelope: CheckedEnvelope): RecomputedEnvelope {
  const { chain, operation, merkleRoot, expiry, validAfter, proofs } = envelope;
  const userOpHash = userOperationHash(operation, chain.entryPoint, chain.chainId, chain.contracts.account);
  const leaf = { userOpHash, expiry, validAfter, validator: chain.contracts.validator };
  const [proof = [], ...others] = proofs;
  if (others.length > 0)
    throw invalid('INVALID_PROOF', `The envelope has ${proofs.length} proofs for one operation.`);
  const root = intentLeafHash(leaf);
  if (proof.length === 0 && !sameHex(root, merkleRoot))
    throw invalid('MERKLE_ROOT_MISMATCH', 'The merkle root does not follow from the operation.', {
      field: 'merkleRoot',
      expected: root,
      given: merkleRoot,
    });
  if (proof.length > 0 && !verifyIntentProof(merkleRoot.toLowerCase() as Hex, leaf, proof))
    throw invalid('INVALID_PROOF', 'The proof does not lead from the operation to the merkle root.');
  return { ...envelope, userOpHash, proof };
}

const signAgain =
  'Sign `signing` of this envelope by EIP-712 with the key of details.expectedSigner, and execute it again.';
const recoveryIds = new Set<string>(['0x1b', '0x1c']);

/**
 * Check that the sender signed the intent, in the one form that the validator module accepts: 65 bytes, low s,
 * v 27 or 28.
 *
 * @throws {TransactionValidationError} with reason INVALID_SIGNATURE
 */
export async function recoverSigner(envelope: RecomputedEnvelope): Promise<VerifiedIntent> {
  const { chain, operation, userOpHash, merkleRoot, expiry, validAfter, signature, proof } = envelope;
  const expectedSigner = operation.sender;
  const refuse = (detail: string, recoveredSigner: Address | null = null) =>
    invalid('INVALID_SIGNATURE', detail, { expectedSigner, recoveredSigner }, signAgain);
  if (!isHex(signature) || size(signature) !== 65 || signature.length !== 132)
    throw refuse('The signature is not 65 bytes.');
  if (!isLowS(slice(signature, 32, 64)) || !recoveryIds.has(slice(signature, 64)))
    throw refuse('The signature has a high s, or a v other than 27 and 28.');
  const { chainId, contracts } = chain;
  const message = { merkleRoot, chainId, expiry, validAfter, validator: contracts.validator };
  const signer = await recoverCached(intentDigest(message), signature);
  if (signer === undefined || !sameHex(signer, expectedSigner))
    throw refuse(`The signature is of ${signer ?? 'nobody'}, not of ${expectedSigner}.`, signer);
  return {
    intentId: merkleRoot.toLowerCase() as Hex,
    chain,
    operation: {
      ...operation,
      signature: encodeIntentSignature({ expiry, validAfter, signature, proof }),
    },
    userOpHash,
    expiry,
    validAfter,
  };
}

// Recovery is most of what a duplicate costs.
const maxSigners = 1_000;
const signers = new Map<Hex, Promise<Address | undefined>>();

/** @returns `undefined` for a point that is not on the curve: such a signature has no signer */
function recoverCached(hash: Hex, signature: Hex): Promise<Address | undefined> {
  const key = concat([hash, signature]);
  const known = signers.get(key);
  if (known) return known;
  const signer = recoverAddress({ hash, signature }).catch(() => undefined);
  const [oldest] = signers.keys();
  if (oldest && signers.size >= maxSigners) signers.delete(oldest);
  signers.set(key, signer);
  return signer;
}

/** Make the ledger's record of a verified intent. */
export function toNewIntent(intent: VerifiedIntent): NewIntent {
  return {
    intentId: intent.intentId,
    chainId: intent.chain.chainId,
    wallet: intent.operation.sender,
    userOpHash: intent.userOpHash,
    nonce: intent.operation.nonce,
    expiry: intent.expiry,
    userOperation: toWireUserOperation(intent.operation),
  };
}

/**
 * Restore an intent from its record.
 *
 * @returns `undefined` when its chain is no longer active, or has another entry point, which knows nothing of it
 */
export function restoreIntent(record: IntentRecord, chains: ExecutionChains): VerifiedIntent | undefined {
  const { intentId, chainId, userOpHash } = record;
  const chain = chains.findById(chainId);
  if (!chain) return undefined;
  const operation = fromWireUserOperation(record.userOperation);
  const { entryPoint, contracts } = chain;
  if (userOperationHash(operation, entryPoint, chainId, contracts.account) !== userOpHash) return undefined;
  const { expiry, validAfter } = decodeIntentSignature(operation.signature);
  return { intentId, chain, operation, userOpHash, expiry, validAfter };
}
