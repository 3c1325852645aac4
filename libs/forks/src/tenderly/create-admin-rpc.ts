import { isReadMethod } from '@yield-vault/chains';
import { ForkNotRunningError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { z } from 'zod';
import { asTenderlyError, isLimitCode, tenderlyDetails } from './as-tenderly-error.js';
import type { Fork } from '../types.js';
import type { Http } from './http.js';

const deadlineMs = 30_000;

const rpcAnswer = z.union([
  z.object({ error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ jsonrpc: z.literal('2.0'), result: z.unknown() }),
]);

/**
 * Make the JSON-RPC client of one Virtual TestNet.
 *
 * @param onGone told when the server does not know the Virtual TestNet any more
 * @returns a function that fails with `RpcRequestError` for JSON-RPC errors, which name no URL since its path is the
 * key to the fork, and with `ForkNotRunningError` or `ForkCapacityError` for everything else
 */
export function createAdminRpc(http: Http, url: string, onGone: () => void): Fork['request'] {
  return async (method, params = []) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const isIdempotent = isReadMethod(method);
    const answer = await http.ask({ method: 'POST', url, body, isIdempotent, deadlineMs });
    const { data } = rpcAnswer.safeParse(answer.body);
    if (data && 'error' in data && !isLimitCode(data.error.code)) {
      throw new RpcRequestError({ body: { method, params }, error: data.error, url: 'tenderly' });
    }
    if (data && 'result' in data) return data.result;
    if (answer.status === 404 || answer.status === 410) {
      onGone();
      throw new ForkNotRunningError({ detail: 'The fork was evicted.', details: tenderlyDetails });
    }
    throw asTenderlyError(answer);
  };
}
