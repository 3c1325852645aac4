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
} from '@yield-vault/smart-account';
import { isAddressEqual, zeroAddress, type Hex } from 'viem';
import type { AddressBook, BookDeployment } from './address-book.js';
import { findDeployment, type DeploymentMark } from './find-deployment.js';
import { requireAuthorization } from './gasless-setup.js';
import { readPaymasterData, type PaymasterData } from './paymaster-data.js';
import { readEnvelope, type SingleEnvelope } from './read-documents.js';
import { demand, refuse } from './result.js';

/** An envelope that agrees with itself and with the address book, whatever it does. */
export interface RecomputedEnvelope extends PaymasterData {
  /** A copy that the verification made; send this one to execute. */
  readonly envelope: PreparedIntentEnvelope;
  /** Built from recomputed values; sign this one. */
  readonly signing: IntentSigning;
  readonly deployment: BookDeployment;
  readonly userOpHash: Hex;
  readonly leaf: Hex;
  readonly merkleRoot: Hex;
  /** The 32 bytes that the wallet signs. */
  readonly digest: Hex;
  readonly nonceSequence: bigint;
  readonly operation: UserOperation;
  readonly hooks: OperationHooks;
  readonly authorization: Eip7702Auth | undefined;
}

/** Recompute everything in an envelope from the fields of its operation, and compare. */
export function recomputeEnvelope(given: unknown, book: AddressBook, walletCode?: Hex): RecomputedEnvelope {
  const envelope = readEnvelope(given);
  const operation = readOperation(envelope);
  const deployment = deploymentOf(envelope, operation, book, walletCode);
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
  const paymasterData = readPaymasterData(deployment, operation.paymasterData ?? '0x');
  const hooks = readHooks(operation.callData, deployment);

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
    ...paymasterData,
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
  envelope: SingleEnvelope,
  { paymaster }: UserOperation,
  book: AddressBook,
  walletCode: Hex | undefined,
): BookDeployment {
  const { chainId, entryPoint, signing } = envelope;
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
    ...accountMarksOf(envelope, walletCode),
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
function readHooks(callData: Hex, deployment: BookDeployment): OperationHooks {
  try {
    const hooks = parseOperationHooks(callData);
    demand(
      hooks.approvals.length <= 1 && hooks.approvalsLast,
      'CALLDATA_NOT_ALLOWED',
      callDataField,
      'The hooks set an allowance more than once, or not as the last hook.',
    );
    requireTrustedHooks(hooks, deployment);
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

/** Check that an allowance is for the paymaster that needs it, and that only one of USDC outlives a deposit. */
function requireTrustedHooks({ approvals, vaultHooks }: OperationHooks, deployment: BookDeployment): void {
  const { paymaster, usdc } = deployment;
  const field = callDataField;
  for (const { spender, token } of approvals) {
    const unneeded = 'It sets an allowance, and this paymaster needs none.';
    demand(paymaster.kind !== 'own', 'CALLDATA_NOT_ALLOWED', field, unneeded);
    const isPaymaster = isAddressEqual(spender, paymaster.address);
    demand(isPaymaster, 'PAYMASTER_MISMATCH', field, `It sets an allowance of ${spender}.`);
    demand(isAddressEqual(token, usdc), 'ASSET_MISMATCH', field, `It sets an allowance of ${token}.`);
  }
  for (const hook of vaultHooks) {
    const keeps = hook.hook === 'deposit' && hook.keepOne === true && !isAddressEqual(hook.token, usdc);
    demand(!keeps, 'CALLDATA_NOT_ALLOWED', field, `It leaves one unit of ${hook.token} allowed.`);
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
