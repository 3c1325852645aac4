import { RpcRequestError } from 'viem';
import { z } from 'zod';

/** The response to one JSON-RPC call. */
export const rpcResponseSchema = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ result: z.unknown() }),
]);

/** Write one JSON-RPC call. */
export function rpcCall(method: string, params: readonly unknown[] = []) {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/**
 * Take the result of a call from its response.
 *
 * @throws {RpcRequestError} the response is an error
 */
export function resultOf(
  call: ReturnType<typeof rpcCall>,
  response: z.infer<typeof rpcResponseSchema>,
  url: string,
): unknown {
  if ('error' in response) throw new RpcRequestError({ body: call, error: response.error, url });
  return response.result;
}

/** Parse JSON text; `undefined` when it is not valid. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString()) as unknown;
  } catch {
    return undefined;
  }
}
