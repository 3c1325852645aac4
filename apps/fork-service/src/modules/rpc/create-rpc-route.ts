import type { ForkRpcHandler, ForkRpcTarget, RpcResponse } from '@yield-vault/forks/server';
import type { ForkMetrics } from '../../metrics/create-metrics.js';

/** Handles plain JSON-RPC requests to the forks of this service. The body is JSON text. */
export type RpcRoute = (target: ForkRpcTarget, body: Uint8Array, signal: AbortSignal) => Promise<RpcResponse>;

/** Create the route. It accepts only known chains and forks, and counts requests. */
export function createRpcRoute(
  handler: ForkRpcHandler,
  chains: readonly string[],
  metrics: ForkMetrics,
): RpcRoute {
  return async (target, body, signal) => {
    const isUnknown = typeof target === 'string' && !chains.includes(target);
    const response = isUnknown
      ? notFound(`This service has no chain ${target.slice(0, 64)}.`)
      : await handler(target, body, signal);
    // Callers must not be able to create labels.
    const label = isUnknown ? 'unknown' : typeof target === 'string' ? target : 'fork';
    metrics.countRpc(label, response.status);
    return response;
  };
}

const notFound = (message: string): RpcResponse => ({
  status: 404,
  body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message } }),
});
