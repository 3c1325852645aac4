import { ForkNotRunningError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { z } from 'zod';
import type { JsonPoster } from './create-json-poster.js';

const answerSchema = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ result: z.unknown() }),
]);

/** One JSON-RPC call to a fork. */
export type ForkRequest = (
  method: string,
  params?: readonly unknown[],
  options?: { readonly deadlineMs?: number },
) => Promise<unknown>;

/** A call that touches many slots of a slow upstream takes its time: one round trip for each. */
export const forkRequestDeadlineMs = 60_000;

/**
 * Make the `request` of a fork.
 *
 * @throws {RpcRequestError} the fork answered with an error
 * @throws {ForkNotRunningError} it did not answer
 */
export function createForkRequest(fork: {
  readonly chain: string;
  readonly rpcUrl: string;
  readonly poster: JsonPoster;
}): ForkRequest {
  const { chain, rpcUrl, poster } = fork;
  return async (method, params = [], { deadlineMs = forkRequestDeadlineMs } = {}) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await poster.post(rpcUrl, JSON.stringify(body), { deadlineMs }).then(
      (response) => parseAnswer(response.body),
      (cause: unknown) => {
        throw notAnswering(chain, cause);
      },
    );
    if (!answer) throw notAnswering(chain);
    if ('error' in answer) throw new RpcRequestError({ body, error: answer.error, url: rpcUrl });
    return answer.result;
  };
}

function parseAnswer(body: Buffer): z.infer<typeof answerSchema> | undefined {
  try {
    return answerSchema.parse(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}

function notAnswering(chain: string, cause?: unknown): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: `The fork of ${chain} does not answer.`,
    details: { chain },
    retryAfterSeconds: 1,
    cause,
  });
}
