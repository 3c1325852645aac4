import {
  fromWireUserOperation,
  intentDigest,
  intentLeafHash,
  intentSigning,
  sameHex,
  userOperationHash,
  type UserOperation,
} from '@yield-vault/protocol';
import { nonceKey, splitNonce } from '@yield-vault/smart-account';
import { isAddressEqual, size, slice, zeroAddress, type Address, type Hex } from 'viem';
import { demand, refuse } from '../refused.js';
import type { AddressBook, BookDeployment, VerifiedEnvelope } from '../types.js';
import { findDeployment } from './find-deployment.js';
import { readEnvelope, type SingleEnvelope } from './read-envelope.js';
import { readHooks, type OperationHooks } from './read-hooks.js';
import { requirePaymasterData } from './require-paymaster-data.js';
import { requireSigning } from './require-signing.js';

/** An envelope that agrees with itself and with the address book, whatever it does. */
export type RecomputedEnvelope = Omit<VerifiedEnvelope, 'ok' | 'effects' | 'summary'> & {
  readonly operation: UserOperation;
  readonly hooks: OperationHooks;
};

// Behind the selector, the mode, the offset of the execution and its length.
const executorStart = 100;
const executorEnd = 120;

/** Compute all that an envelope says about itself from the fields of its operation, and compare. */
export function recomputeEnvelope(given: unknown, book: AddressBook): RecomputedEnvelope {
  const envelope = readEnvelope(given);
  const operation = readOperation(envelope);
  const deployment = deploymentOf(envelope, operation, book);
  const { entryPoint, validator, executor } = deployment;
  const { chainId, expiry, validAfter, sender } = envelope;
  const nonce = splitNonce(operation.nonce);

  demand(
    isAddressEqual(sender, operation.sender),
    'WALLET_MISMATCH',
    'sender',
    'It is not the sender of the operation.',
  );
  demand(
    nonce.key === nonceKey(validator),
    'NONCE_KEY_MISMATCH',
    'userOps.0.userOperation.nonce',
    'Its key does not select the validator module, and nothing else.',
  );
  demand(
    validAfter < expiry,
    'INVALID_WINDOW',
    'validAfter',
    'It is not before the expiry; an expiry of 0 would mean: never.',
  );
  requirePaymasterData(deployment.paymaster, operation.paymasterData ?? '0x');
  const hooks = readHooks(operation.callData, executor);

  const userOpHash = userOperationHash(operation, entryPoint, chainId);
  const merkleRoot = intentLeafHash({ userOpHash, expiry, validAfter, validator });
  requireTreeOfOne(envelope, merkleRoot);
  const intent = { merkleRoot, chainId, expiry, validAfter, validator };
  const signing = intentSigning(intent);
  requireSigning(envelope.signing, signing);

  return {
    envelope,
    operation,
    hooks,
    deployment,
    userOpHash,
    leaf: merkleRoot,
    merkleRoot,
    signing,
    digest: intentDigest(intent),
    nonceSequence: nonce.sequence,
  };
}

function readOperation({ userOps: [{ userOperation }] }: SingleEnvelope): UserOperation {
  try {
    return fromWireUserOperation(userOperation);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse('MALFORMED', 'userOps.0.userOperation', `The operation is malformed: ${error.message}.`);
  }
}

function deploymentOf(
  { chainId, entryPoint, signing }: SingleEnvelope,
  { paymaster, callData }: UserOperation,
  book: AddressBook,
): BookDeployment {
  return findDeployment(book, chainId, [
    {
      of: (deployment) => deployment.entryPoint,
      address: entryPoint,
      reason: 'ENTRY_POINT_MISMATCH',
      field: 'entryPoint',
    },
    {
      of: (deployment) => deployment.paymaster.address,
      address: paymaster ?? zeroAddress,
      reason: 'PAYMASTER_MISMATCH',
      field: 'userOps.0.userOperation.paymasterAndData',
    },
    {
      of: (deployment) => deployment.validator,
      address: signing.domain.verifyingContract,
      reason: 'VALIDATOR_MISMATCH',
      field: 'signing.domain.verifyingContract',
    },
    {
      of: (deployment) => deployment.executor,
      address: calledBy(callData),
      reason: 'CALLDATA_NOT_ALLOWED',
      field: 'userOps.0.userOperation.callData',
    },
  ]);
}

// Where the one encoding that is accepted has it; whether it is that encoding is looked at afterwards.
function calledBy(callData: Hex): Address {
  return size(callData) < executorEnd ? zeroAddress : slice(callData, executorStart, executorEnd);
}

// A root over several leaves would authorise all of them, and only the server knows the others.
function requireTreeOfOne({ proofs, merkleRoot, intentId }: SingleEnvelope, leaf: Hex): void {
  demand(
    proofs.length === 1 && proofs[0]?.length === 0,
    'HIDDEN_LEAVES',
    'proofs',
    'The root would cover more than this one operation.',
  );
  demand(
    sameHex(merkleRoot, leaf),
    'MERKLE_ROOT_MISMATCH',
    'merkleRoot',
    'It does not follow from the operation and its window.',
  );
  demand(sameHex(intentId, leaf), 'INTENT_ID_MISMATCH', 'intentId', 'It is not the merkle root.');
}
