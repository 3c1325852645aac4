import {
  hash32Pattern,
  eip7702Marker,
  fromWireUserOperation,
  intentSigning,
  maxIntentTime,
  sameHex,
  type Eip7702Auth,
  type EnvelopeUserOperation,
  type ExecuteRequest,
  type IntentEnvelope,
  type IntentSigning,
  type Json,
  type UserOperation,
  type WireUserOperation,
} from '@yield-vault/protocol';
import { getAddress, isAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { invalid } from './errors.js';
import type { ExecutionChain, ExecutionChains } from './ports.js';

/** An envelope whose parts agree with each other. Its root and signature are not checked yet. */
export interface CheckedEnvelope {
  readonly chain: ExecutionChain;
  /** Without its signature. It has an authorization only together with the EIP-7702 marker. */
  readonly operation: UserOperation;
  readonly merkleRoot: Hex;
  readonly proofs: readonly (readonly Hex[])[];
  readonly expiry: number;
  readonly validAfter: number;
  /** The intent signature that counts. */
  readonly signature: Hex;
}

/**
 * Check the envelope of an execute request. The types, or the DTO of the API, have checked its form.
 *
 * @throws {TransactionValidationError} with reason UNSUPPORTED_ENVELOPE, CHAIN_NOT_ACTIVE, INVALID_EXPIRY,
 *   INTENT_ID_MISMATCH, WRONG_ENTRY_POINT, SENDER_MISMATCH or SIGNING_MISMATCH
 */
export function checkEnvelope(request: ExecuteRequest, chains: ExecutionChains): CheckedEnvelope {
  const { intentEnvelope: envelope, intentSignature, intentId } = request;
  const { merkleRoot, expiry, validAfter, proofs = [] } = envelope;
  const item = requireOneOperation(envelope);
  const { userOperation, validatorSig } = item;
  const chain = requireChain(envelope.chainId, chains);
  checkWindow(envelope);
  checkIds(envelope, intentId);
  checkEntryPointAndSender(envelope, userOperation, chain);
  checkSigning(envelope, chain);
  const signature = validatorSig === undefined || validatorSig === '0x' ? intentSignature : validatorSig;
  const operation = { ...readOperation(userOperation), ...readAuthorization(item) };
  return { chain, operation, merkleRoot, proofs, expiry, validAfter, signature };
}

function requireOneOperation({ userOps, destinationExecutions = [], eip7702AuthRequest }: IntentEnvelope) {
  const [item, ...others] = userOps;
  if (!item || others.length > 0)
    throw invalid('UNSUPPORTED_ENVELOPE', `The envelope has ${userOps.length} operations, not one.`);
  if (destinationExecutions.length > 0)
    throw invalid('UNSUPPORTED_ENVELOPE', 'destinationExecutions must be empty.');
  if ((eip7702AuthRequest ?? null) !== null)
    throw invalid('UNSUPPORTED_ENVELOPE', 'eip7702AuthRequest must be absent.');
  return item;
}

function requireChain(chainId: number, chains: ExecutionChains): ExecutionChain {
  const chain = chains.findById(chainId);
  if (chain) return chain;
  const supportedChains = [...chains.keys];
  throw invalid('CHAIN_NOT_ACTIVE', `Chain ${chainId} is not active.`, { supportedChains });
}

function checkWindow({ expiry, validAfter }: IntentEnvelope): void {
  const isTime = (seconds: number) => Number.isInteger(seconds) && seconds >= 0 && seconds <= maxIntentTime;
  if (expiry === 0) throw invalid('INVALID_EXPIRY', 'The entry point reads expiry 0 as no expiry.');
  if (!isTime(expiry) || !isTime(validAfter))
    throw invalid('INVALID_EXPIRY', `expiry and validAfter are integers of at most ${maxIntentTime}.`);
  if (validAfter >= expiry) throw invalid('INVALID_EXPIRY', 'validAfter is not before expiry.');
}

function checkIds({ intentId, merkleRoot }: IntentEnvelope, idOfRequest: string | undefined): void {
  for (const given of [idOfRequest, intentId]) {
    if (given !== undefined && !sameHex(given, merkleRoot))
      throw invalid(
        'INTENT_ID_MISMATCH',
        'intentId is not the merkle root of the envelope.',
        { field: 'intentId', expected: merkleRoot, given },
        'Send details.expected as intentId, or leave it out.',
      );
  }
}

function checkEntryPointAndSender(
  { entryPoint, sender }: IntentEnvelope,
  operation: WireUserOperation,
  chain: ExecutionChain,
): void {
  if (entryPoint !== undefined && !sameHex(entryPoint, chain.entryPoint))
    throw invalid('WRONG_ENTRY_POINT', `The entry point on ${chain.key} is ${chain.entryPoint}.`, {
      field: 'entryPoint',
      expected: chain.entryPoint,
      given: entryPoint,
    });
  if (sender !== undefined && !sameHex(sender, operation.sender))
    throw invalid('SENDER_MISMATCH', 'The sender of the envelope differs from the sender of its operation.', {
      field: 'sender',
      expected: operation.sender,
      given: sender,
    });
}

function checkSigning(
  { merkleRoot, expiry, validAfter, signing }: IntentEnvelope,
  { chainId, contracts: { validator } }: ExecutionChain,
): void {
  if (signing === undefined) return;
  const expected = intentSigning({ merkleRoot, chainId, expiry, validAfter, validator });
  for (const [field, [value, given]] of Object.entries(compared(expected, signing))) {
    // Names and types compare letter by letter, hex in any case, properties in any order.
    if (canonical(value) === canonical(given)) continue;
    const details = { field: `signing.${field}`, expected: value, given };
    const nextAction = 'Send the whole envelope as prepare returned it, with the signature of its `signing`.';
    throw invalid(
      'SIGNING_MISMATCH',
      `${details.field} does not follow from the envelope.`,
      details,
      nextAction,
    );
  }
}

function compared(expected: IntentSigning, given: IntentSigning): Record<string, readonly [Json, Json]> {
  const { domain, message } = expected;
  const parts = (name: 'domain' | 'message', fields: object) =>
    Object.keys(fields).map((key) => [
      `${name}.${key}`,
      [expected[name], given[name]].map((part) => (part as Record<string, Json>)[key]),
    ]);
  const types = ({ types: { Intent } }: IntentSigning) => Intent.map(({ name, type }) => ({ name, type }));
  return Object.fromEntries([
    ...parts('domain', domain),
    ['primaryType', [expected.primaryType, given.primaryType]],
    ['types.Intent', [types(expected), types(given)]],
    ...parts('message', message),
  ]) as Record<string, readonly [Json, Json]>;
}

const canonical = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.startsWith('"0x') ? text.toLowerCase() : text;
};

/**
 * Read the user operation of an envelope; hex in lower case.
 *
 * @throws {TransactionValidationError} with reason UNSUPPORTED_ENVELOPE when a number does not fit, `initCode` is neither
 *   empty nor the EIP-7702 marker, or the paymaster fields are cut short
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

const hash = z.custom<Hex>((value) => typeof value === 'string' && hash32Pattern.test(value));
const authorizationSchema = z.object({
  chainId: z.int().min(0),
  address: z
    .custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }))
    .transform((address) => getAddress(address.toLowerCase())),
  nonce: z.int().min(0),
  yParity: z.int().min(0).max(1),
  r: hash,
  s: hash,
}) satisfies z.ZodType<Eip7702Auth>;

/** Read the authorization beside an operation. Whether it is valid is checked when the operation is sent. */
function readAuthorization({
  eip7702Auth,
  userOperation,
}: EnvelopeUserOperation): Pick<UserOperation, 'authorization'> {
  if ((eip7702Auth ?? null) === null) return {};
  if (userOperation.initCode !== eip7702Marker)
    throw invalid('UNSUPPORTED_ENVELOPE', `eip7702Auth goes only with the initCode ${eip7702Marker}.`);
  const parsed = authorizationSchema.safeParse(eip7702Auth);
  if (parsed.success) return { authorization: parsed.data };
  const field = ['eip7702Auth', ...(parsed.error.issues[0]?.path ?? [])].join('.');
  throw invalid('UNSUPPORTED_ENVELOPE', `${field} does not belong to a gasless setup.`, { field });
}
