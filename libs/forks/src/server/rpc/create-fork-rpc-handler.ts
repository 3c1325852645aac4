import { ResponseTooLongError, sendHttp } from '@yield-vault/chains';
import {
  ForkNotRunningError,
  ForksNotConfiguredError,
  NotFoundError,
  ServiceError,
} from '@yield-vault/protocol';
import { parseJson } from '../../json-rpc.js';
import type { Fork } from '../../types.js';
import { forkRpcDeadlineMs } from '../fork/create-anvil-launcher.js';
import { checkRpcBody, failCalls, rpcError } from './check-rpc-body.js';

/** The HTTP response to a JSON-RPC request. */
export interface RpcResponse {
  readonly status: number;
  /** JSON text. */
  readonly body: string | Uint8Array;
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
}

/** A chain key for its persistent fork, which is created on first use, or the id of any fork. */
export type ForkRpcTarget = string | { readonly forkId: string };

type TargetFork = Pick<Fork, 'rpcUrl'>;

/**
 * Handles a body of plain JSON-RPC, a call or a batch. The address stays the same while the fork behind it is
 * recreated. Never rejects.
 *
 * @param body JSON text.
 * @param signal Cancels the call to the fork.
 * @returns 503 with `retryAfterSeconds` while the fork is not available.
 */
export type ForkRpcHandler = (
  target: ForkRpcTarget,
  body: string | Uint8Array,
  signal?: AbortSignal,
) => Promise<RpcResponse>;

/** Longest body of a request, in bytes; as in Anvil. */
export const forkRpcBodyLimit = 2 * 2 ** 20;

// Each response is held in memory, and callers choose its size.
const maxBytes = 64 * 2 ** 20;

/**
 * Make the handler of plain JSON-RPC requests to forks.
 *
 * @param provider Finds the forks. Every `ForkProvider` can.
 * @example
 * const handler = createForkRpcHandler(provider);
 * const { status, body } = await handler('base', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
 */
export function createForkRpcHandler(provider: {
  persistent(chain: string): Promise<TargetFork>;
  find(id: string): Promise<TargetFork | undefined>;
}): ForkRpcHandler {
  const findFork = async (target: ForkRpcTarget): Promise<TargetFork> => {
    if (typeof target === 'string') return provider.persistent(target);
    const fork = await provider.find(target.forkId);
    if (fork) return fork;
    throw new NotFoundError({ detail: 'There is no such fork.', details: { forkId: target.forkId } });
  };

  return async (target, text, signal) => {
    const body = parseJson(text);
    if (body === undefined) return respond(400, rpcError(null, -32700, 'The body is not valid JSON.'));
    const checked = checkRpcBody(body);
    if (checked.action === 'respond') return respond(checked.status, checked.response);
    const calls = checked.action === 'forward' ? body : checked.calls;
    const forwarded = checked.action === 'forward' ? text : toJson(calls);
    if (forwarded === undefined) return respond(400, rpcError(null, -32600, 'The body is nested too deep.'));
    try {
      const { rpcUrl } = await findFork(target);
      const response = (await forward(rpcUrl, forwarded, signal)) ?? tooLong(calls);
      return checked.action === 'forward' ? response : withRefused(response, checked.refused);
    } catch (error) {
      return unavailable(error);
    }
  };
}

/** @returns undefined when the response is too long */
async function forward(
  rpcUrl: string,
  body: string | Uint8Array,
  signal: AbortSignal | undefined,
): Promise<RpcResponse | undefined> {
  try {
    return await sendHttp(rpcUrl, { body, deadlineMs: forkRpcDeadlineMs, signals: [signal], maxBytes });
  } catch (cause) {
    if (cause instanceof ResponseTooLongError) return undefined;
    const detail = 'The fork went away during the call.';
    throw new ForkNotRunningError({ detail, retryAfterSeconds: 1, cause });
  }
}

function tooLong(calls: unknown): RpcResponse {
  const message = `The response is longer than ${String(maxBytes)} bytes. Request less at a time.`;
  return respond(200, failCalls(calls, -32602, message));
}

/** Responses to a batch may have any order; clients match them by id. */
function withRefused(forwarded: RpcResponse, refused: readonly object[]): RpcResponse {
  if (refused.length === 0) return forwarded;
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
