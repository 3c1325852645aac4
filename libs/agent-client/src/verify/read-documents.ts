import {
  eip7702Marker,
  sameHex,
  type Eip7702Auth,
  type GaslessSetup,
  type PreparedIntentEnvelope,
  type SetupBlock,
  type SetupTicket,
} from '@yield-vault/protocol';
import {
  decodeInitializeAndApprove,
  encodeInitializeAccount,
  type ApproveHook,
} from '@yield-vault/smart-account';
import type { Address, Hex } from 'viem';
import * as z from 'zod';
import {
  eip7702Auth,
  envelopeUserOperation,
  gaslessSetup,
  preparedIntentEnvelope,
  setupBlock,
  setupTicket,
  wireUserOperation,
} from '../generated/document-shapes.js';
import { demand, refuse } from './result.js';
import { address, digits, firstProblem, hash32, hex } from '../wire-values.js';

const userOp = envelopeUserOperation.extend({
  userOperation: wireUserOperation.required(),
  validatorSig: z.unknown().optional(),
});

/** The fields that prepare returns. Other fields of the interface are named, so that they can be refused by name. */
const envelopeSchema = preparedIntentEnvelope.extend({
  userOps: z.array(userOp).min(1),
  eip7702AuthRequest: z.unknown().optional(),
});

const authorization = eip7702Auth.extend({ yParity: z.int().min(0).max(1) });

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
  const { userOps, eip7702AuthRequest, ...rest } = parse(envelopeSchema, envelope, 'envelope');
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
  const signed = parse(authorization, eip7702Auth, 'authorization', 'userOps.0.eip7702Auth.');
  return { ...rest, userOps: [{ userOperation, eip7702Auth: signed }] };
}

/** Copy a document, or refuse it by the first field that is wrong. */
export function parse<T>(schema: z.ZodType<T>, given: unknown, name: string, path = ''): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { field, detail } = firstProblem(parsed.error);
  return refuse('MALFORMED', `${path}${field}`, `The ${name} is malformed: ${detail}.`);
}

const quantity = z.string().regex(/^0x[0-9a-f]{1,16}$/i, 'is no quantity in hex');

// A wallet gets nothing of the document itself, so other fields are ignored.
const walletCalls = z.object({
  version: z.literal('2.0.0'),
  chainId: quantity.transform(Number),
  from: address,
  minOut: digits.transform(BigInt),
  calls: z.array(z.strictObject({ to: address, data: hex, value: quantity })).min(1),
});

/** Copy the calls of a response. */
export const readCalls = (response: unknown): z.output<typeof walletCalls> =>
  parse(walletCalls, response, 'response');

const preparedSetup = z.looseObject({
  setup: setupBlock,
  setupTicket,
  intentId: hash32.optional(),
  setupType: setupTicket.shape.setupType.optional(),
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
  return parse(preparedSetup, response, 'setup');
}

/** Copy the gasless setup of a prepare response. Other fields are ignored. */
export function readGaslessSetup(response: unknown): GaslessSetup {
  return parse(z.looseObject({ gaslessSetup }), response, 'gasless setup').gaslessSetup;
}

/** What a setup does besides delegating. */
export interface SetupCall {
  /** Whether it restores default modules that the wallet removed. */
  readonly restoresModules: boolean;
  readonly approval?: Omit<ApproveHook, 'hook'>;
}

/** Read the call data of a setup: none, or one of two calls in its one encoding. */
export function readInitCalldata(wallet: Address, data: Hex): SetupCall {
  if (data === '0x') return { restoresModules: false };
  if (sameHex(data, encodeInitializeAccount())) return { restoresModules: true };
  const approval = decodeInitializeAndApprove(wallet, data);
  if (approval) return { restoresModules: true, approval };
  const detail =
    'It is neither empty nor a canonical call of initializeAccount, with or without an approval.';
  return refuse('CALLDATA_NOT_ALLOWED', 'setup.initCalldata', detail);
}
