import { UpstreamFailure } from '@yield-vault/chains';
import { request, type Dispatcher } from 'undici';
import { z } from 'zod';
import { connectionFailed } from '../rpc/connection-failed.js';
import { splitCredentials } from '../rpc/split-credentials.js';
import type { RpcCall, RpcOutcome } from './types.js';

const answerSchema = z.object({
  id: z.number().nullish(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
const answersSchema = z.array(answerSchema);

/** Where and how a batch is sent. */
export interface BatchTarget {
  readonly url: string;
  /** Named in errors, e.g. `rpc:base`. */
  readonly dependency: string;
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
}

// Smaller batches would help with nothing else that a node says about a whole one, least of all with a rate limit.
const batchWords = /\bbatch|too (large|big|many calls|many requests in)/i;

/** The upstream takes no batch of this size. */
export class BatchRefusedError extends UpstreamFailure {}

/**
 * Send calls in one HTTP request.
 *
 * @returns the outcomes in the order of the calls
 * @throws {BatchRefusedError} they are too many for one request
 * @throws {UpstreamFailure} there is no usable answer; its text names no URL
 */
export async function postBatch(target: BatchTarget, calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
  const { dependency } = target;
  const requests = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const body = await post(target, JSON.stringify(requests.length === 1 ? requests[0] : requests));
  if (calls.length > 1) checkWhole(dependency, answerSchema.safeParse(body).data?.error);
  const answers = answersSchema.safeParse(Array.isArray(body) ? body : [body]).data ?? [];
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map((_, id) => {
    const { error, result } = byId.get(id) ?? {};
    if (error) return { error };
    if (result === undefined) throw new UpstreamFailure(dependency, 'the answer is not JSON-RPC');
    return { result };
  });
}

function checkWhole(dependency: string, error: { code: number; message: string } | undefined): void {
  if (!error) return;
  if (batchWords.test(error.message)) throw new BatchRefusedError(dependency, 'the batch was refused');
  throw new UpstreamFailure(dependency, `JSON-RPC error ${error.code}`);
}

async function post(target: BatchTarget, text: string): Promise<unknown> {
  const { dependency, timeoutMs } = target;
  const signal = AbortSignal.timeout(timeoutMs);
  const { url, headers } = splitCredentials(target.url);
  try {
    const {
      statusCode,
      headers: answered,
      body,
    } = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: text,
      dispatcher: target.dispatcher,
      signal,
    });
    // Always read to its end: an unread body holds its connection.
    const answer = await body.text();
    if (statusCode === 413) throw new BatchRefusedError(dependency, 'HTTP status 413');
    if (statusCode >= 400) {
      const seconds = Number(answered['retry-after']);
      throw new UpstreamFailure(dependency, `HTTP status ${statusCode}`, seconds > 0 ? seconds : undefined);
    }
    return JSON.parse(answer);
  } catch (error) {
    if (error instanceof UpstreamFailure) throw error;
    if (signal.aborted) throw new UpstreamFailure(dependency, 'timed out');
    if (error instanceof SyntaxError) throw new UpstreamFailure(dependency, 'the answer is not JSON');
    throw new UpstreamFailure(dependency, connectionFailed(error));
  }
}
