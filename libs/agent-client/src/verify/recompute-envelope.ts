import {
  fromWireUserOperation,
  intentDigest,
  intentLeafHash,
  intentSigning,
  isNamed,
  sameHex,
  userOperationHash,
  type Eip7702Auth,
  type IntentSigning,
  type PreparedIntentEnvelope,
  type UserOperation,
} from '@yield-vault/protocol';
import {
  nonceKey,
  parseDelegation,
  parseOperationHooks,
  splitNonce,
  type CallDataNotAllowedError,
  type OperationHooks,
  type PermitData,
} from '@yield-vault/smart-account';
import { isAddressEqual, zeroAddress, type Address, type Hex } from 'viem';
import type { AddressBook, BookDeployment } from './address-book.js';
import { findDeployment, type DeploymentMark } from './find-deployment.js';
import { readPermit, requireAuthorization } from './gasless-setup.js';
import { readEnvelope, type SingleEnvelope } from './read-documents.js';
import { demand, refuse } from './result.js';

/** An envelope that agrees with itself and with the address book, whatever it does. */
export interface RecomputedEnvelope {
  /** A copy that the verification made; send this one to execute. */
  readonly envelope: PreparedIntentEnvelope;
  /** Built from recomputed values; sign this one. */
  readonly signing: IntentSigning;
  readonly deployment: BookDeployment;
  /** Paymasters that an allowance may be for instead, while nothing says which account executes the envelope. */
  readonly otherPaymasters: readonly Address[];
  readonly userOpHash: Hex;
  readonly leaf: Hex;
  readonly merkleRoot: Hex;
  /** The 32 bytes that the wallet signs. */
  readonly digest: Hex;
  readonly nonceSequence: bigint;
  readonly operation: UserOperation;
  readonly hooks: OperationHooks;
  readonly authorization: Eip7702Auth | undefined;
  /** Its signature is checked with the expected nonce. */
  readonly permit: PermitData | undefined;
}

/** Recompute everything in an envelope from the fields of its operation, and compare. */
export function recomputeEnvelope(given: unknown, book: AddressBook, walletCode?: Hex): RecomputedEnvelope {
  const envelope = readEnvelope(given);
  const operation = readOperation(envelope);
  const accountMarks = accountMarksOf(envelope, walletCode);
  const deployment = deploymentOf(envelope, operation, book, accountMarks);
  const { entryPoint, validator } = deployment;
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
    'Its key does not select the validator module.',
  );
  demand(
    validAfter < expiry,
    'INVALID_WINDOW',
    'validAfter',
    'It is not before the expiry. An expiry of 0 would mean never.',
  );
  const authorization = envelope.userOps[0].eip7702Auth;
  if (authorization) requireAuthorization(authorization, sender, deployment);
  const permit = readPermit(deployment, operation.paymasterData ?? '0x');
  const hooks = readHooks(operation.callData);

  const userOpHash = userOperationHash(operation, entryPoint, chainId, deployment.account);
  const merkleRoot = intentLeafHash({ userOpHash, expiry, validAfter, validator });
  requireTreeOfOne(envelope, merkleRoot);
  const intent = { merkleRoot, chainId, expiry, validAfter, validator };
  const signing = intentSigning(intent);
  requireSigning(envelope.signing, signing);

  return {
    envelope,
    operation,
    hooks,
    authorization,
    permit,
    deployment,
    otherPaymasters: accountMarks.length > 0 ? [] : otherPaymasters(deployment, book),
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
  { paymaster }: UserOperation,
  book: AddressBook,
  accountMarks: readonly DeploymentMark[],
): BookDeployment {
  return findDeployment(book, chainId, [
    [(deployment) => deployment.entryPoint, entryPoint, 'ENTRY_POINT_MISMATCH', 'entryPoint'],
    [
      (deployment) => deployment.paymaster.address,
      paymaster ?? zeroAddress,
      'PAYMASTER_MISMATCH',
      'userOps.0.userOperation.paymasterAndData',
    ],
    [
      (deployment) => deployment.validator,
      signing.domain.verifyingContract,
      'VALIDATOR_MISMATCH',
      'signing.domain.verifyingContract',
    ],
    ...accountMarks,
  ]);
}

/** Nothing in an envelope names the account that executes it, unless the envelope delegates the wallet. */
function accountMarksOf(
  { userOps: [{ eip7702Auth }] }: SingleEnvelope,
  walletCode: Hex | undefined,
): DeploymentMark[] {
  const of = ({ account }: BookDeployment) => account;
  if (eip7702Auth) {
    const field = 'userOps.0.eip7702Auth.address';
    return [[of, eip7702Auth.address, 'IMPLEMENTATION_MISMATCH', field]];
  }
  if (walletCode === undefined) return [];
  const address = parseDelegation(walletCode) ?? zeroAddress;
  return [[of, address, 'DELEGATION_MISMATCH', 'sender']];
}

function otherPaymasters({ chainId, entryPoint, paymaster }: BookDeployment, book: AddressBook): Address[] {
  const others = book.deployments
    .filter((one) => one.chainId === chainId && isAddressEqual(one.entryPoint, entryPoint))
    .map((one) => one.paymaster.address)
    .filter((address) => !isAddressEqual(address, paymaster.address));
  return [...new Set(others)];
}

// A root over several leaves would authorise all of them, and only the service knows the others.
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

const callDataField = 'userOps.0.userOperation.callData';

/** Read call data that is one of the sequences that prepare builds, in its one encoding and order. */
function readHooks(callData: Hex): OperationHooks {
  try {
    const hooks = parseOperationHooks(callData);
    demand(
      hooks.approvals.length <= 1 && hooks.approvalsLast,
      'CALLDATA_NOT_ALLOWED',
      callDataField,
      'The hooks set the paymaster allowance more than once, or not as the last hook.',
    );
    return hooks;
  } catch (error) {
    if (!isNamed<CallDataNotAllowedError>(error, 'CallDataNotAllowedError')) throw error;
    return refuse(
      'CALLDATA_NOT_ALLOWED',
      callDataField,
      `Not an operation that prepare builds: ${error.message}.`,
    );
  }
}

/** Check that a signing block equals the recomputed one: same names and types in the same order, hex in any case. */
function requireSigning(given: IntentSigning, rebuilt: IntentSigning): void {
  for (const part of ['domain', 'primaryType', 'types', 'message'] as const) {
    const same = partOf(given, part) === partOf(rebuilt, part);
    demand(same, 'SIGNING_MISMATCH', `signing.${part}`, 'It does not follow from the rest of the envelope.');
  }
}

function partOf({ domain, primaryType, types, message }: IntentSigning, part: keyof IntentSigning): string {
  const values = {
    domain: [domain.name, domain.version, domain.chainId, domain.verifyingContract.toLowerCase()],
    primaryType,
    types: types.Intent.map(({ name, type }) => [name, type]),
    message: [message.merkleRoot.toLowerCase(), message.chainId, message.expiry, message.validAfter],
  };
  return JSON.stringify(values[part]);
}
