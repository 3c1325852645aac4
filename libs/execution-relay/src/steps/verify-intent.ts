import { toWireUserOperation, userOperationHash, type ExecuteRequest } from '@yield-vault/protocol';
import { encodeIntentSignature } from '@yield-vault/smart-account';
import type { Hex } from 'viem';
import type { ExecutionChains, NewIntent } from '../ports.js';
import type { VerifiedIntent } from '../types.js';
import { checkIdentity } from './check-identity.js';
import { checkProof } from './check-proof.js';
import { checkSignature } from './check-signature.js';
import { checkWindow } from './check-window.js';
import { readOperation } from './read-operation.js';
import { readRequest } from './read-request.js';
import { requireChain } from './require-chain.js';

/**
 * Recompute everything that a signed envelope says, and check who signed it. Whether it may be submitted is left to the
 * moment of submission: see `requireSubmittable`.
 *
 * @throws {TransactionValidationError} with the reason in `details.reason`
 */
export async function verifyIntent(
  request: ExecuteRequest,
  chains: ExecutionChains,
): Promise<VerifiedIntent> {
  const { envelope, intentSignature, intentId } = readRequest(request);
  const { merkleRoot, expiry, validAfter, userOp, proofs } = envelope;
  const chain = requireChain(envelope.chainId, chains);
  const { chainId } = chain;
  const { validator } = chain.contracts;
  checkWindow({ expiry, validAfter });
  checkIdentity(envelope, intentId, chain);

  const unsigned = readOperation(userOp.userOperation);
  const userOpHash = userOperationHash(unsigned, chain.entryPoint, chainId);
  const proof = checkProof(merkleRoot, { userOpHash, expiry, validAfter, validator }, proofs);
  const signature = await checkSignature(
    userOp.validatorSig === undefined || userOp.validatorSig === '0x' ? intentSignature : userOp.validatorSig,
    { merkleRoot, chainId, expiry, validAfter, validator },
    unsigned.sender,
  );

  return {
    intentId: merkleRoot.toLowerCase() as Hex,
    chain,
    operation: {
      ...unsigned,
      signature: encodeIntentSignature({ expiry, validAfter, signature, proof }),
    },
    userOpHash,
    expiry,
    validAfter,
  };
}

/** List what the ledger keeps of a verified intent. */
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
