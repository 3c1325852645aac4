import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { ZodError } from 'zod';
import { asInvalidCall } from './invalid-call.js';

/**
 * Say what it means that a node refused a simulation: a fork answers with an error when it cannot read its chain.
 *
 * @returns every other error as it is
 */
export function asSimulationError(error: unknown, chain: string): unknown {
  const isAnswer = error instanceof RpcRequestError || error instanceof ZodError;
  if (!isAnswer) return error;
  return (
    asInvalidCall(error) ??
    new UpstreamUnavailableError({
      detail: `The state of ${chain} could not be read for a simulation.`,
      details: { dependency: `rpc:${chain}` },
      retryAfterSeconds: 2,
      cause: error,
    })
  );
}
