import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { createClient } from 'viem';
import type { z } from 'zod';
import { asUpstreamError } from '../as-upstream-error.js';
import { batchHttp } from './batch-http.js';
import { guardTransport, type TransportGuard } from './guard-transport.js';

const garbageRetryAfterSeconds = 5;

/** Send a JSON-RPC request and parse its response. */
export type JsonRpc = <T>(schema: z.ZodType<T>, method: string, params?: readonly unknown[]) => Promise<T>;

/**
 * Make a JSON-RPC client that checks the shape of each response.
 *
 * @param asRefusal - recognises a refusal of the service; the returned error is thrown
 * @returns a function that throws `UpstreamUnavailableError` when the service gives no usable response
 */
export function createJsonRpc(
  url: string,
  guard: TransportGuard,
  asRefusal: (error: unknown) => Error | undefined,
): JsonRpc {
  const { dependency, deadlineMs } = guard;
  const client = createClient({
    transport: guardTransport(batchHttp(url, { timeoutMs: deadlineMs, batchSize: 1 }), guard),
  });
  return async (schema, method, params = []) => {
    let response: unknown;
    try {
      response = await client.request({ method, params } as never);
    } catch (error) {
      throw asRefusal(error) ?? asUpstreamError(error, dependency) ?? error;
    }
    try {
      return schema.parse(response);
    } catch (error) {
      throw new UpstreamUnavailableError({
        detail: `${dependency}: the response to ${method} has an unexpected shape.`,
        details: { dependency },
        retryAfterSeconds: garbageRetryAfterSeconds,
        cause: error,
      });
    }
  };
}
