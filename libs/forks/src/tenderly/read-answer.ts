import { ForkNotRunningError } from '@yield-vault/protocol';
import type { z } from 'zod';
import { tenderlyDetails } from './as-tenderly-error.js';

/**
 * Parse the result of a JSON-RPC call.
 *
 * @throws {ForkNotRunningError} it is not what the method is documented to answer
 */
export function readAnswer<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data, error } = schema.safeParse(answer);
  if (!error) return data;
  throw new ForkNotRunningError({
    detail: 'Tenderly: the answer is not understood.',
    details: tenderlyDetails,
    retryAfterSeconds: 5,
    cause: error,
  });
}
