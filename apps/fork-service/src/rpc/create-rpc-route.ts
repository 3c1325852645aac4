import type { ForkRpcHandler, ForkRpcTarget, RpcAnswer } from '@yield-vault/forks';
import { ServiceError } from '@yield-vault/protocol';
import type { ForkIds } from '../forks/create-fork-ids.js';
import type { ForkMetrics } from '../metrics/create-metrics.js';

/** Answers the plain JSON-RPC of the forks of this instance; the body is JSON text. */
export type RpcRoute = (target: ForkRpcTarget, body: Uint8Array, signal: AbortSignal) => Promise<RpcAnswer>;

/** Create the route: known chains and own forks only, counted. */
export function createRpcRoute(
  handler: ForkRpcHandler,
  chains: readonly string[],
  ids: ForkIds,
  metrics: ForkMetrics,
): RpcRoute {
  const toOwn = (target: ForkRpcTarget): ForkRpcTarget | RpcAnswer => {
    if (typeof target === 'string') {
      return chains.includes(target) ? target : notFound(`There is no chain ${target.slice(0, 64)} here.`);
    }
    try {
      return { forkId: ids.toOwn(target.forkId) };
    } catch (error) {
      if (error instanceof ServiceError) return notFound(error.detail);
      throw error;
    }
  };

  return async (target, body, signal) => {
    const own = toOwn(target);
    const answer = typeof own === 'object' && 'status' in own ? own : await handler(own, body, signal);
    // A label must not grow with what callers send.
    const label = typeof own === 'string' ? own : 'status' in own ? 'unknown' : 'fork';
    metrics.countRpc(label, answer.status);
    return answer;
  };
}

const notFound = (message: string): RpcAnswer => ({
  status: 404,
  body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message } }),
});
