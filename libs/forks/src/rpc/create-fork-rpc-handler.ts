import {
  ForkNotRunningError,
  ForksNotConfiguredError,
  NotFoundError,
  ServiceError,
} from '@yield-vault/protocol';
import { errors } from 'undici';
import type { Fork } from '../types.js';
import { checkRpcBody, failCalls, rpcError } from './check-rpc-body.js';
import { createJsonPoster, parseJson, type JsonPoster } from './create-json-poster.js';
import type { RpcResponse } from './serve-rpc.js';

/** A chain key for its persistent fork, which is created on first use, or the id of any fork. */
export type ForkRpcTarget = string | { readonly forkId: string };

type TargetFork = Pick<Fork, 'rpcUrl'>;

/** Where a handler finds forks. Every `ForkProvider` is one. */
export interface ForkRpcSource {
  persistent(chain: string): Promise<TargetFork>;
  find(id: string): Promise<TargetFork | undefined>;
}

/** Handles plain JSON-RPC requests to forks. The address stays the same while the fork behind it is recreated. */
export interface ForkRpcHandler {
  /**
   * Handle one body, a call or a batch. Never rejects.
   *
   * @param body JSON text.
   * @param signal Cancels the call to the fork.
   * @returns 503 with `retryAfterSeconds` while the fork is not available.
   */
  (target: ForkRpcTarget, body: string | Uint8Array, signal?: AbortSignal): Promise<RpcResponse>;
  /** Close the connections to the forks. */
  close(): Promise<void>;
}

/** Longest body of a request, in bytes; as in Anvil. */
export const forkRpcBodyLimit = 2 * 2 ** 20;

/** Longest time for a call. */
export const forkRpcDeadlineMs = 120_000;

// Each response is held in memory, and callers choose its size.
const maxResponseBytes = 64 * 2 ** 20;

/**
 * Make the handler of plain JSON-RPC requests to forks.
 *
 * @example
 * const handler = createForkRpcHandler(provider);
 * const { status, body } = await handler('base', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
 */
export function createForkRpcHandler(provider: ForkRpcSource): ForkRpcHandler {
  // No limit of connections: slow calls must not block others.
  const poster = createJsonPoster({ connections: null, maxResponseBytes });

  const handle: (...args: Parameters<ForkRpcHandler>) => Promise<RpcResponse> = async (
    target,
    text,
    signal,
  ) => {
    const body = parseJson(text);
    if (body === undefined) return respond(400, rpcError(null, -32700, 'The body is not valid JSON.'));
    const checked = checkRpcBody(body);
    if (checked.action === 'answer') return respond(checked.status, checked.response);
    const calls = checked.action === 'forward' ? body : checked.allowed;
    const forwarded = checked.action === 'forward' ? text : toJson(calls);
    if (forwarded === undefined) return respond(400, rpcError(null, -32600, 'The body is nested too deep.'));
    try {
      const fork = await findFork(provider, target);
      const answered = (await forward(poster, fork.rpcUrl, forwarded, signal)) ?? tooLong(calls);
      return checked.action === 'forward' ? answered : withRefused(answered, checked.refused);
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

/** @returns undefined when the response is too long */
async function forward(
  poster: JsonPoster,
  rpcUrl: string,
  body: string | Uint8Array,
  signal: AbortSignal | undefined,
): Promise<RpcResponse | undefined> {
  try {
    return await poster.post(rpcUrl, body, { deadlineMs: forkRpcDeadlineMs, ...(signal && { signal }) });
  } catch (cause) {
    if (cause instanceof errors.ResponseExceededMaxSizeError) return undefined;
    const detail = 'The fork went away during the call.';
    throw new ForkNotRunningError({ detail, retryAfterSeconds: 1, cause });
  }
}

function tooLong(calls: unknown): RpcResponse {
  const message = `The response is longer than ${String(maxResponseBytes)} bytes. Request less at a time.`;
  return respond(200, failCalls(calls, -32602, message));
}

/** Responses to a batch may have any order; clients match them by id. */
function withRefused(forwarded: RpcResponse, refused: readonly object[]): RpcResponse {
  const responses = parseJson(forwarded.body);
  return Array.isArray(responses) ? respond(200, [...(responses as unknown[]), ...refused]) : forwarded;
}

function unavailable(error: unknown): RpcResponse {
  if (error instanceof NotFoundError || error instanceof ForksNotConfiguredError) {
    return respond(404, rpcError(null, -32001, error.detail));
  }
  const { detail, retryAfterSeconds = 1 } =
    error instanceof ServiceError ? error : { detail: 'The fork is not available.' };
  return { ...respond(503, rpcError(null, -32002, detail)), retryAfterSeconds };
}

function respond(status: number, body: object): RpcResponse {
  return { status, body: JSON.stringify(body) };
}

/** @returns undefined when the value is nested too deep for `JSON.stringify`, which `JSON.parse` allows */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
