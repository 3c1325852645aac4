import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  eip7702Marker,
  gaslessSetupPath,
  type Eip7702Auth,
  type GaslessSetup,
  type PreparedIntentEnvelope,
  type SetupBlock,
  type SetupTicket,
} from '@yield-vault/protocol';
import { encodeInitializeAccount, type InitializeAccountArgs } from '@yield-vault/smart-account';
import { decodeFunctionData, type Hex } from 'viem';
import * as z from 'zod';
import { demand, refuse } from './result.js';
import { bytes, chainId, firstProblem, hash, quantity, unixSeconds, wireAddress } from './wire-values.js';

const userOperation = z.strictObject({
  sender: wireAddress,
  nonce: quantity,
  initCode: bytes,
  callData: bytes,
  callGasLimit: quantity,
  verificationGasLimit: quantity,
  preVerificationGas: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  paymasterAndData: bytes,
  signature: bytes,
});

const authorization = z.strictObject({
  chainId,
  address: wireAddress,
  nonce: z.int().min(0),
  yParity: z.int().min(0).max(1),
  r: hash,
  s: hash,
}) satisfies z.ZodType<Eip7702Auth>;

const typedDomain = z.strictObject({
  name: z.string(),
  version: z.string(),
  chainId,
  verifyingContract: wireAddress,
});
const typedFields = z.array(z.strictObject({ name: z.string(), type: z.string() }));

const signing = z.strictObject({
  domain: typedDomain,
  primaryType: z.literal('Intent'),
  types: z.strictObject({ Intent: typedFields }),
  message: z.strictObject({ merkleRoot: hash, chainId, expiry: unixSeconds, validAfter: unixSeconds }),
});

/** The fields that prepare returns. Other fields of the interface are named, so that they can be refused by name. */
const envelopeSchema = z.strictObject({
  version: z.literal('1'),
  intentId: hash,
  chainId,
  entryPoint: wireAddress,
  sender: wireAddress,
  userOps: z
    .array(
      z.strictObject({
        userOperation,
        eip7702Auth: z.unknown().optional(),
        validatorSig: z.unknown().optional(),
      }),
    )
    .min(1),
  destinationExecutions: z.array(z.unknown()),
  expiry: unixSeconds,
  validAfter: unixSeconds,
  merkleRoot: hash,
  proofs: z.array(z.array(hash)),
  signing,
  eip7702AuthRequest: z.unknown().optional(),
});

type PreparedOperation = PreparedIntentEnvelope['userOps'][number];

/** An envelope of exactly one operation. */
export type SingleEnvelope = PreparedIntentEnvelope & {
  readonly userOps: readonly [PreparedOperation & { readonly eip7702Auth?: Eip7702Auth }];
};

/**
 * Copy an envelope and refuse every field that prepare never writes: an unchecked field could change what is
 * executed.
 */
export function readEnvelope(envelope: unknown): SingleEnvelope {
  const parsed = envelopeSchema.safeParse(envelope);
  if (!parsed.success) {
    const { field, detail } = firstProblem(parsed.error);
    refuse('MALFORMED', field, `The envelope is malformed: ${detail}.`);
  }
  const { userOps, eip7702AuthRequest, ...rest } = parsed.data;
  const [first, ...others] = userOps;
  const only = (condition: boolean, field: string, detail: string) =>
    demand(condition, 'UNSUPPORTED_ENVELOPE', field, detail);
  if (!first || others.length > 0) {
    refuse('UNSUPPORTED_ENVELOPE', 'userOps', 'There is more than one operation.');
  }
  only(
    rest.destinationExecutions.length === 0,
    'destinationExecutions',
    'It executes something on another chain.',
  );
  only(eip7702AuthRequest === undefined, 'eip7702AuthRequest', 'It requests an authorization.');
  const { userOperation, eip7702Auth, validatorSig } = first;
  only(validatorSig === undefined, 'userOps.0.validatorSig', 'It contains a signature.');
  only(userOperation.signature === '0x', 'userOps.0.userOperation.signature', 'It contains a signature.');
  const { initCode } = userOperation;
  const isMarked = initCode === eip7702Marker && eip7702Auth !== undefined;
  only(isMarked || initCode === '0x', 'userOps.0.userOperation.initCode', 'It initialises an account.');
  only(isMarked || eip7702Auth === undefined, 'userOps.0.eip7702Auth', 'It contains an authorization.');
  if (!isMarked) return { ...rest, userOps: [{ userOperation }] };
  return { ...rest, userOps: [{ userOperation, eip7702Auth: readAuthorization(eip7702Auth) }] };
}

function readAuthorization(given: unknown): Eip7702Auth {
  const parsed = authorization.safeParse(given);
  if (parsed.success) return parsed.data;
  const { field, detail } = firstProblem(parsed.error);
  return refuse('MALFORMED', `userOps.0.eip7702Auth.${field}`, `The authorization is malformed: ${detail}.`);
}

const setupType = z.enum(['full', 'modules']);

const setup = z.strictObject({
  setupType,
  // Free text of the service; nothing depends on it.
  description: z.string(),
  authorization: z.strictObject({ contractAddress: wireAddress, chainId }).nullable(),
  initCalldata: bytes,
  to: wireAddress,
  gas: z.strictObject({ gasLimit: quantity, maxFeePerGas: quantity, maxPriorityFeePerGas: quantity }),
});

const setupTicket = z.strictObject({
  version: z.literal(1),
  walletAddress: wireAddress,
  chainId,
  implementation: wireAddress,
  initCalldataHash: hash,
  setupType,
  expiresAt: z.iso.datetime(),
});

const preparedSetup = z.looseObject({
  setup,
  setupTicket,
  intentId: hash.optional(),
  setupType: setupType.optional(),
  needsSetup: z.literal(true).optional(),
  execution: z.null().optional(),
  intentEnvelope: z.null().optional(),
});

/** The parts of a prepare response that make a setup. */
export interface PreparedSetup {
  readonly setup: SetupBlock;
  readonly setupTicket: SetupTicket;
  readonly intentId?: Hex | undefined;
  readonly setupType?: SetupTicket['setupType'] | undefined;
}

/** Copy the setup of a prepare response. Other fields, such as the strategy, are ignored. */
export function readSetup(response: unknown): PreparedSetup {
  const parsed = preparedSetup.safeParse(response);
  if (parsed.success) return parsed.data;
  const { field, detail } = firstProblem(parsed.error);
  return refuse('MALFORMED', field, `The setup is malformed: ${detail}.`);
}

const gaslessSetup = z.strictObject({
  authorization: z.strictObject({ contractAddress: wireAddress, chainId, nonce: z.int().min(0) }).nullable(),
  permit: z.strictObject({
    domain: typedDomain,
    types: z.strictObject({ Permit: typedFields }),
    primaryType: z.literal('Permit'),
    message: z.strictObject({
      owner: wireAddress,
      spender: wireAddress,
      value: quantity,
      nonce: quantity,
      deadline: quantity,
    }),
  }),
  endpoint: z.literal(gaslessSetupPath),
});

/** Copy the gasless setup of a prepare response. Other fields are ignored. */
export function readGaslessSetup(response: unknown): GaslessSetup {
  const parsed = z.looseObject({ gaslessSetup }).safeParse(response);
  if (parsed.success) return parsed.data.gaslessSetup;
  const { field, detail } = firstProblem(parsed.error);
  return refuse('MALFORMED', field, `The gasless setup is malformed: ${detail}.`);
}

/** Read the call data of a setup: one call of `initializeAccount` in its one encoding. */
export function readInitCalldata(data: Hex): InitializeAccountArgs {
  const args = decodeInit(data);
  if (args && encodeInitializeAccount(args).toLowerCase() === data.toLowerCase()) return args;
  return refuse(
    'CALLDATA_NOT_ALLOWED',
    'setup.initCalldata',
    'It is not one canonical call of initializeAccount.',
  );
}

function decodeInit(data: Hex): InitializeAccountArgs | undefined {
  try {
    const call = decodeFunctionData({ abi: yieldVaultAccountAbi, data });
    if (call.functionName !== 'initializeAccount') return undefined;
    const [token, paymaster, allowance] = call.args;
    return { token, paymaster, allowance };
  } catch {
    return undefined;
  }
}
