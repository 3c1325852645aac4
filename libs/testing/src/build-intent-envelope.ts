import {
  intentLeafHash,
  intentSigning,
  intentTypes,
  toWireUserOperation,
  userOperationHash,
  type IntentSigning,
  type PreparedIntentEnvelope,
  type UserOperation,
} from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { testAccount } from './test-accounts.js';

/** Parts of an intent envelope. Each field of the operation can be overridden. */
export interface IntentEnvelopeParts {
  readonly chainId?: number;
  readonly entryPoint?: Address;
  readonly validator?: Address;
  /** Unix seconds. */
  readonly expiry?: number;
  /** Unix seconds. */
  readonly validAfter?: number;
  readonly operation?: Partial<UserOperation>;
}

/** Build an envelope as prepare returns it: one operation of the `owner` test account, its hashes all consistent. */
export function buildIntentEnvelope(parts: IntentEnvelopeParts = {}): PreparedIntentEnvelope {
  const chainId = parts.chainId ?? 8453;
  const entryPoint = parts.entryPoint ?? '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
  const validator = parts.validator ?? '0x2000000000000000000000000000000000000002';
  const expiry = parts.expiry ?? Math.floor(Date.now() / 1000) + 600;
  const validAfter = parts.validAfter ?? 0;
  const operation: UserOperation = {
    sender: testAccount('owner').address,
    nonce: BigInt(validator) << 96n,
    callData: '0x',
    callGasLimit: 300_000n,
    verificationGasLimit: 100_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    signature: '0x',
    ...parts.operation,
  };
  const { authorization } = operation;
  const userOpHash = userOperationHash(operation, entryPoint, chainId, authorization?.address);
  const root = intentLeafHash({ userOpHash, expiry, validAfter, validator });
  const userOperation = toWireUserOperation(operation);
  return {
    version: '1',
    intentId: root,
    chainId,
    entryPoint,
    sender: operation.sender,
    userOps: [{ userOperation, ...(authorization && { eip7702Auth: authorization }) }],
    destinationExecutions: [],
    expiry,
    validAfter,
    merkleRoot: root,
    proofs: [[]],
    signing: intentSigning({ merkleRoot: root, chainId, expiry, validAfter, validator }),
  };
}

/** Sign the `signing` block of an envelope with a private key. */
export function signIntent(signing: IntentSigning, privateKey: Hex): Promise<Hex> {
  return privateKeyToAccount(privateKey).signTypedData({
    domain: signing.domain,
    types: intentTypes,
    primaryType: 'Intent',
    message: { ...signing.message, chainId: BigInt(signing.message.chainId) },
  });
}
