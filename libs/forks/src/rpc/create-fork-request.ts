import { ForkNotRunningError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { z } from 'zod';
import { parseJson, type JsonPoster } from './create-json-poster.js';

const rpcErrorSchema = z.object({
  code: z.number(),
  message: z.string(),
  data: z.unknown().optional(),
});
/** The response to one JSON-RPC call. */
export const rpcAnswerSchema = z.union([
  z.object({ error: rpcErrorSchema }),
  z.object({ result: z.unknown() }),
]);

/** One JSON-RPC call to a fork. */
export type ForkRequest = (
  method: string,
  params?: readonly unknown[],
  options?: { readonly deadlineMs?: number },
) => Promise<unknown>;

/** A call can be slow because each slot takes a round trip to the upstream chain. */
export const forkRequestDeadlineMs = 60_000;

/**
 * Make the `request` of a fork.
 *
 * @throws {RpcRequestError} the fork responded with an error
 * @throws {ForkNotRunningError} the fork did not respond
 */
export function createForkRequest(fork: {
  readonly chain: string;
  readonly rpcUrl: string;
  readonly poster: JsonPoster;
}): ForkRequest {
  const { chain, rpcUrl, poster } = fork;
  return async (method, params = [], { deadlineMs = forkRequestDeadlineMs } = {}) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const response = await poster
      .post(rpcUrl, JSON.stringify(body), { deadlineMs })
      .catch((cause: unknown) => {
        throw notAnswering(chain, cause);
      });
    const { data: answer } = rpcAnswerSchema.safeParse(parseJson(response.body));
    if (!answer) throw notAnswering(chain);
    if ('error' in answer) throw new RpcRequestError({ body, error: answer.error, url: rpcUrl });
    return answer.result;
  };
}

function notAnswering(chain: string, cause?: unknown): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: `The fork of ${chain} does not respond.`,
    details: { chain },
    retryAfterSeconds: 1,
    cause,
  });
}
