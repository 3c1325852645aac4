import type { Fork, ForkRecord } from '@yield-vault/forks';
import { isNamed } from '@yield-vault/protocol';
import type { ForkDto } from './fork.dto.js';
import type { RpcCallDto } from './requests.dto.js';

/** Convert a fork to its wire form. */
export function toForkDto({ id, kind, chain, chainId, status, forkBlock, createdAt }: ForkRecord): ForkDto {
  return {
    id,
    kind,
    chain,
    chainId,
    status,
    forkBlock: forkBlock.toString(),
    createdAt: new Date(createdAt).toISOString(),
    rpcPath: kind === 'persistent' ? `/rpc/${chain}` : `/rpc/forks/${id}`,
  };
}

/** The response to a JSON-RPC call. */
export type RpcResponseBody = { readonly jsonrpc: '2.0'; readonly id: unknown } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

/** Send one call to a fork. */
export async function respondToRpcCall(
  fork: Pick<Fork, 'request'>,
  { id = null, method, params }: RpcCallDto,
): Promise<RpcResponseBody> {
  try {
    return { jsonrpc: '2.0', id, result: (await fork.request(method, params)) ?? null };
  } catch (error) {
    if (!isNamed(error, 'RpcRequestError')) throw error;
    const { code, details: message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, data } };
  }
}
