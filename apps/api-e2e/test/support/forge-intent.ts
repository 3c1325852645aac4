import {
  fromWireUserOperation,
  intentLeafHash,
  intentSigning,
  toWireUserOperation,
  userOperationHash,
  type PreparedIntentEnvelope,
  type UserOperation,
} from '@yield-vault/protocol';
import { signIntent } from '@yield-vault/testing';
import type { Address, Hex } from 'viem';

/** Changes of an attacker, who then recomputes all dependent values. */
export interface Forgery {
  readonly operation?: Partial<UserOperation>;
  readonly chainId?: number;
  readonly entryPoint?: Address;
  readonly expiry?: number;
  readonly validAfter?: number;
}

/**
 * Change an envelope and recompute hash, root and signing block, so that it agrees with itself, and sign it: only a
 * rule of the deployment can refuse it.
 */
export async function forgeIntent(
  envelope: PreparedIntentEnvelope,
  privateKey: Hex,
  forgery: Forgery,
): Promise<{ intentEnvelope: PreparedIntentEnvelope; intentSignature: Hex }> {
  const { chainId, entryPoint, expiry, validAfter } = { ...envelope, ...forgery };
  const validator = envelope.signing.domain.verifyingContract;
  const wire = envelope.userOps[0]!.userOperation;
  const operation = { ...fromWireUserOperation(wire), ...forgery.operation };
  const userOpHash = userOperationHash(operation, entryPoint, chainId);
  const root = intentLeafHash({ userOpHash, expiry, validAfter, validator });
  const signing = intentSigning({ merkleRoot: root, chainId, expiry, validAfter, validator });
  return {
    intentEnvelope: {
      ...envelope,
      chainId,
      entryPoint,
      expiry,
      validAfter,
      userOps: [{ userOperation: toWireUserOperation(operation) }],
      intentId: root,
      merkleRoot: root,
      proofs: [[]],
      signing,
      sender: operation.sender,
    },
    intentSignature: await signIntent(signing, privateKey),
  };
}
