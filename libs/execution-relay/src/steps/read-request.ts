import type { ExecuteRequest } from '@yield-vault/protocol';
import { z } from 'zod';
import { invalid } from '../errors.js';

const bytes = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const seconds = z.int().min(0);

const userOperation = z.looseObject({
  sender: address,
  nonce: z.string(),
  callData: bytes,
  signature: bytes,
  initCode: bytes.optional(),
  callGasLimit: z.string().optional(),
  verificationGasLimit: z.string().optional(),
  preVerificationGas: z.string().optional(),
  maxFeePerGas: z.string().optional(),
  maxPriorityFeePerGas: z.string().optional(),
  paymasterAndData: bytes.optional(),
});

const signing = z.object({
  domain: z.object({ name: z.string(), version: z.string(), chainId: z.int(), verifyingContract: address }),
  primaryType: z.string(),
  types: z.object({ Intent: z.array(z.object({ name: z.string(), type: z.string() })) }),
  message: z.object({ merkleRoot: bytes32, chainId: z.int(), expiry: seconds, validAfter: seconds }),
});

const request = z.object({
  intentEnvelope: z.object({
    version: z.literal('1'),
    intentId: z.string().optional(),
    chainId: z.int().positive(),
    entryPoint: address.optional(),
    sender: address.optional(),
    userOps: z
      .array(
        z.looseObject({
          userOperation,
          eip7702Auth: z.unknown().optional(),
          validatorSig: z.string().optional(),
        }),
      )
      .length(1, 'an envelope holds one operation'),
    destinationExecutions: z.array(z.unknown()).max(0, 'executions elsewhere are not supported').optional(),
    expiry: seconds,
    validAfter: seconds,
    merkleRoot: bytes32,
    proofs: z.array(z.array(bytes32)).default([]),
    signing: signing.optional(),
    eip7702AuthRequest: z.unknown().optional(),
  }),
  intentSignature: z.string(),
  intentId: z.string().optional(),
});

type Shape = z.infer<typeof request>['intentEnvelope'];

/** An envelope whose shape was checked and none of whose contents was. */
export type ReadEnvelope = Omit<ExecuteRequest['intentEnvelope'], 'userOps' | 'proofs'> & {
  readonly userOp: ExecuteRequest['intentEnvelope']['userOps'][number];
  readonly proofs: NonNullable<ExecuteRequest['intentEnvelope']['proofs']>;
};

/**
 * Read an execute request without trusting its types.
 *
 * @throws {TransactionValidationError} with reason UNSUPPORTED_ENVELOPE when it has another shape, several
 *   operations, executions elsewhere, or an authorization
 */
export function readRequest(input: ExecuteRequest): {
  readonly envelope: ReadEnvelope;
  readonly intentSignature: string;
  readonly intentId: string | undefined;
} {
  const parsed = request.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid('UNSUPPORTED_ENVELOPE', `${issue?.path.join('.')}: ${issue?.message}.`);
  }
  const { userOps, eip7702AuthRequest, ...envelope }: Shape = parsed.data.intentEnvelope;
  const [userOp] = userOps;
  if (!userOp || isGiven(userOp.eip7702Auth) || isGiven(eip7702AuthRequest)) {
    throw invalid('UNSUPPORTED_ENVELOPE', 'Authorizations go through setup-relay, not through execute.');
  }
  return {
    // The patterns above make these strings hex; the schema has no type for that.
    envelope: { ...envelope, userOp } as ReadEnvelope,
    intentSignature: parsed.data.intentSignature,
    intentId: parsed.data.intentId,
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
