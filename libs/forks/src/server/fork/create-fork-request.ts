import { sendHttp } from '@yield-vault/chains';
import { ForkNotRunningError } from '@yield-vault/protocol';
import { parseJson, resultOf, rpcCall, rpcResponseSchema } from '../../json-rpc.js';

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
export function createForkRequest(chain: string, rpcUrl: string): ForkRequest {
  const silent = (cause?: unknown) =>
    new ForkNotRunningError({
      detail: `The fork of ${chain} does not respond.`,
      details: { chain },
      retryAfterSeconds: 1,
      cause,
    });
  return async (method, params, { deadlineMs = forkRequestDeadlineMs } = {}) => {
    const call = rpcCall(method, params);
    const sent = sendHttp(rpcUrl, { body: JSON.stringify(call), deadlineMs });
    const { body } = await sent.catch((cause: unknown) => {
      throw silent(cause);
    });
    const { data: response } = rpcResponseSchema.safeParse(parseJson(body));
    if (!response) throw silent();
    return resultOf(call, response, rpcUrl);
  };
}
