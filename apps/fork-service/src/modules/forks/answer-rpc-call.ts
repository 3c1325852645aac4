import type { Fork } from '@yield-vault/forks';
import { RpcRequestError } from 'viem';
import type { RpcCallDto } from './requests.dto.js';

/** What a JSON-RPC method answered. */
export type RpcAnswerBody = { readonly jsonrpc: '2.0'; readonly id: unknown } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

/** Make one call on a fork. */
export async function answerRpcCall(
  fork: Pick<Fork, 'request'>,
  { id = null, method, params }: RpcCallDto,
): Promise<RpcAnswerBody> {
  try {
    return { jsonrpc: '2.0', id, result: (await fork.request(method, params)) ?? null };
  } catch (error) {
    if (!(error instanceof RpcRequestError)) throw error;
    const { code, details: message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
  }
}
