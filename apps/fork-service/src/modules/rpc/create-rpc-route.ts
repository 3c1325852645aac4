import type { ForkRpcHandler, ForkRpcTarget, RpcResponse } from '@yield-vault/forks/server';
import { ServiceError } from '@yield-vault/protocol';
import type { ForkIds } from '../../forks/create-fork-registry.js';
import type { ForkMetrics } from '../../metrics/create-metrics.js';

/** Handles plain JSON-RPC requests to the forks of this instance. The body is JSON text. */
export type RpcRoute = (target: ForkRpcTarget, body: Uint8Array, signal: AbortSignal) => Promise<RpcResponse>;

/** Create the route. It accepts only known chains and forks of this instance, and counts requests. */
export function createRpcRoute(
  handler: ForkRpcHandler,
  chains: readonly string[],
  ids: ForkIds,
  metrics: ForkMetrics,
): RpcRoute {
  const toOwn = (target: ForkRpcTarget): ForkRpcTarget | RpcResponse => {
    if (typeof target === 'string') {
      return chains.includes(target) ? target : notFound(`This service has no chain ${target.slice(0, 64)}.`);
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
    const response = typeof own === 'object' && 'status' in own ? own : await handler(own, body, signal);
    // Callers must not be able to create labels.
    const label = typeof own === 'string' ? own : 'status' in own ? 'unknown' : 'fork';
    metrics.countRpc(label, response.status);
    return response;
  };
}

const notFound = (message: string): RpcResponse => ({
  status: 404,
  body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message } }),
});
