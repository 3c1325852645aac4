import {
  ForkNotRunningError,
  ForksNotConfiguredError,
  NotFoundError,
  ServiceError,
} from '@yield-vault/protocol';
import { errors } from 'undici';
import type { Fork } from '../types.js';
import { checkRpcBody, failCalls, rpcError } from './check-rpc-body.js';
import { createJsonPoster, type JsonPoster } from './create-json-poster.js';
import { parseJson } from './parse-json.js';
import type { RpcAnswer } from './serve-rpc.js';

/** A chain key for its persistent fork, created on first use, or the id of any fork. */
export type ForkRpcTarget = string | { readonly forkId: string };

type TargetFork = Pick<Fork, 'rpcUrl' | 'expectBlocks'>;

/** Where a handler finds forks; every `ForkProvider` is one. */
export interface ForkRpcSource {
  persistent(chain: string): Promise<TargetFork>;
  find(id: string): Promise<TargetFork | undefined>;
}

/** Answers plain JSON-RPC for forks, at an address that stays while the forks behind it change. */
export interface ForkRpcHandler {
  /**
   * Answer one body, single call or batch. Never rejects.
   *
   * @param body - JSON text
   * @param signal - cancels the call to the fork
   * @returns 503 with `retryAfterSeconds` while the fork cannot be had
   */
  (target: ForkRpcTarget, body: string | Uint8Array, signal?: AbortSignal): Promise<RpcAnswer>;
  /** Cut the connections to the forks. */
  close(): Promise<void>;
}

/** Longest time for a call: then nobody waits for its answer any more. */
export const forkRpcDeadlineMs = 120_000;

// Callers choose what is asked, and each answer is held in memory.
const maxAnswerBytes = 64 * 2 ** 20;

/**
 * Make the handler of the plain JSON-RPC of forks.
 *
 * @example
 * const handler = createForkRpcHandler(provider);
 * const { status, body } = await handler('base', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
 */
export function createForkRpcHandler(provider: ForkRpcSource): ForkRpcHandler {
  // Without a limit: calls that take their time, or wait for a transaction that never comes, keep none from the fork.
  const poster = createJsonPoster({ connections: null, maxAnswerBytes });

  const handle: (...args: Parameters<ForkRpcHandler>) => Promise<RpcAnswer> = async (
    target,
    text,
    signal,
  ) => {
    const body = parseJson(text);
    if (body === undefined) return answer(400, rpcError(null, -32700, 'The body is no JSON.'));
    const checked = checkRpcBody(body);
    if (checked.verdict === 'answer') return answer(checked.status, checked.answer);
    const calls = checked.verdict === 'forward' ? body : checked.allowed;
    const forwarded = checked.verdict === 'forward' ? text : toJson(calls);
    if (forwarded === undefined) return answer(400, rpcError(null, -32600, 'The body is nested too deep.'));
    try {
      const fork = await findFork(provider, target);
      const settle = checked.transactions > 0 ? fork.expectBlocks?.(checked.transactions) : undefined;
      const forwarding = forward(poster, fork.rpcUrl, forwarded, signal).finally(settle);
      const answered = (await forwarding) ?? tooLong(calls);
      return checked.verdict === 'forward' ? answered : withRefused(answered, checked.refused);
    } catch (error) {
      return unavailable(error);
    }
  };
  return Object.assign(handle, { close: () => poster.close() });
}

async function findFork(provider: ForkRpcSource, target: ForkRpcTarget): Promise<TargetFork> {
  if (typeof target === 'string') return provider.persistent(target);
  const fork = await provider.find(target.forkId);
  if (fork) return fork;
  throw new NotFoundError({ detail: 'There is no such fork.', details: { forkId: target.forkId } });
}

/** @returns undefined when the answer is too long */
async function forward(
  poster: JsonPoster,
  rpcUrl: string,
  body: string | Uint8Array,
  signal: AbortSignal | undefined,
): Promise<RpcAnswer | undefined> {
  try {
    return await poster.post(rpcUrl, body, { deadlineMs: forkRpcDeadlineMs, ...(signal && { signal }) });
  } catch (cause) {
    if (cause instanceof errors.ResponseExceededMaxSizeError) return undefined;
    const detail = 'The fork went away during the call.';
    throw new ForkNotRunningError({ detail, retryAfterSeconds: 1, cause });
  }
}

function tooLong(calls: unknown): RpcAnswer {
  const message = `The answer is longer than ${String(maxAnswerBytes)} bytes. Ask for less at a time.`;
  return answer(200, failCalls(calls, -32602, message));
}

/** The order of the answers to a batch is free: they are told apart by their ids. */
function withRefused(forwarded: RpcAnswer, refused: readonly object[]): RpcAnswer {
  const answers = parseJson(forwarded.body);
  return Array.isArray(answers) ? answer(200, [...(answers as unknown[]), ...refused]) : forwarded;
}

function unavailable(error: unknown): RpcAnswer {
  if (error instanceof NotFoundError || error instanceof ForksNotConfiguredError) {
    return answer(404, rpcError(null, -32001, error.detail));
  }
  const { detail, retryAfterSeconds = 1 } =
    error instanceof ServiceError ? error : { detail: 'The fork cannot be had.' };
  return { ...answer(503, rpcError(null, -32002, detail)), retryAfterSeconds };
}

function answer(status: number, body: object): RpcAnswer {
  return { status, body: JSON.stringify(body) };
}

/** @returns undefined for what is nested too deep to be written, as it may be read all the same */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
