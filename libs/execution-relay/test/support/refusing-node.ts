import { createPublicClient, http, type PublicClient } from 'viem';

/** Make the client of a node that answers every request with a JSON-RPC error. */
export function refusingNode(code: number, message: string): PublicClient {
  const fetchFn = () => Promise.resolve(Response.json({ jsonrpc: '2.0', id: 1, error: { code, message } }));
  return createPublicClient({ transport: http('http://node.test', { retryCount: 0, fetchFn }) });
}
