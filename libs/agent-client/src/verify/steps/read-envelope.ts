import type { PreparedIntentEnvelope } from '@yield-vault/protocol';
import { z } from 'zod';
import { demand, refuse } from '../refused.js';
import { bytes, chainId, firstProblem, hash, quantity, unixSeconds, wireAddress } from '../wire-values.js';

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

const signing = z.strictObject({
  domain: z.strictObject({
    name: z.string(),
    version: z.string(),
    chainId,
    verifyingContract: wireAddress,
  }),
  primaryType: z.literal('Intent'),
  types: z.strictObject({ Intent: z.array(z.strictObject({ name: z.string(), type: z.string() })) }),
  message: z.strictObject({ merkleRoot: hash, chainId, expiry: unixSeconds, validAfter: unixSeconds }),
});

/** What prepare returns. What the interface allows besides is named, so that it can be refused by its name. */
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

/** An envelope of one operation and nothing else. */
export type SingleEnvelope = PreparedIntentEnvelope & {
  readonly userOps: readonly [PreparedIntentEnvelope['userOps'][number]];
};

/**
 * Copy an envelope, letting nothing pass that prepare never writes: whatever is not looked at here could mean
 * something to whoever executes it.
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
  only(rest.destinationExecutions.length === 0, 'destinationExecutions', 'Something else is to be executed.');
  only(eip7702AuthRequest === undefined, 'eip7702AuthRequest', 'An authorization is asked for.');
  const { userOperation, eip7702Auth, validatorSig } = first;
  only(eip7702Auth === undefined, 'userOps.0.eip7702Auth', 'An authorization comes along.');
  only(validatorSig === undefined, 'userOps.0.validatorSig', 'A signature comes along.');
  only(userOperation.signature === '0x', 'userOps.0.userOperation.signature', 'A signature comes along.');
  only(userOperation.initCode === '0x', 'userOps.0.userOperation.initCode', 'An initialisation comes along.');
  return { ...rest, userOps: [{ userOperation }] };
}
