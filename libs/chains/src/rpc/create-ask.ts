import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { createClient, http } from 'viem';
import type { z } from 'zod';
import { asUpstreamError } from '../as-upstream-error.js';
import { guardTransport, type TransportGuard } from './guard-transport.js';

const garbageRetryAfterSeconds = 5;

/** Ask a JSON-RPC service for something, and understand its answer. */
export type Ask = <T>(schema: z.ZodType<T>, method: string, params?: readonly unknown[]) => Promise<T>;

/**
 * Make the client of a JSON-RPC service that is not a node.
 *
 * @param asRefusal - recognises that the service answered, and its answer is no; such an error is thrown as returned
 * @returns a function that throws `UpstreamUnavailableError` when the service gives no usable answer
 */
export function createAsk(
  url: string,
  guard: TransportGuard,
  asRefusal: (error: unknown) => Error | undefined,
): Ask {
  const { dependency, deadlineMs } = guard;
  const client = createClient({
    transport: guardTransport(http(url, { retryCount: 0, timeout: deadlineMs }), guard),
  });
  return async (schema, method, params = []) => {
    let answer: unknown;
    try {
      answer = await client.request({ method, params } as never);
    } catch (error) {
      throw asRefusal(error) ?? asUpstreamError(error, dependency) ?? error;
    }
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new UpstreamUnavailableError({
      detail: `${dependency}: the answer to ${method} is not understood.`,
      details: { dependency },
      retryAfterSeconds: garbageRetryAfterSeconds,
      cause: parsed.error,
    });
  };
}
