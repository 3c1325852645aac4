import type { SetupBlock, SetupTicket } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';
import { refuse } from '../refused.js';
import { bytes, chainId, firstProblem, hash, quantity, wireAddress } from '../wire-values.js';

const setupType = z.enum(['full', 'modules']);

const setup = z.strictObject({
  setupType,
  // Free text of the server, which nothing is decided by.
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

const setupAnswer = z.looseObject({
  setup,
  setupTicket,
  intentId: hash.optional(),
  setupType: setupType.optional(),
  needsSetup: z.literal(true).optional(),
  execution: z.null().optional(),
  intentEnvelope: z.null().optional(),
});

/** The parts of a prepare answer that a setup is made of. */
export interface SetupAnswer {
  readonly setup: SetupBlock;
  readonly setupTicket: SetupTicket;
  readonly intentId?: Hex | undefined;
  readonly setupType?: SetupTicket['setupType'] | undefined;
}

/** Copy the setup of a prepare answer. What an answer says besides, of vaults for instance, is left alone. */
export function readSetup(answer: unknown): SetupAnswer {
  const parsed = setupAnswer.safeParse(answer);
  if (parsed.success) return parsed.data;
  const { field, detail } = firstProblem(parsed.error);
  return refuse('MALFORMED', field, `The setup is malformed: ${detail}.`);
}
