import { InvalidParametersError, NotFoundError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { z } from 'zod';
import type { Fork, ForkRecord } from '../types.js';
import type { ServiceClient } from './create-service-client.js';
import { forkGone } from './service-errors.js';
import {
  refusedCallSchema,
  wireBalancesSchema,
  wireRevertSchema,
  wireRpcAnswerSchema,
  wireSnapshotSchema,
  wireTransactionSchema,
} from './wire-schemas.js';

const nothing = z.undefined();

/**
 * Make a fork whose methods are calls of the service.
 *
 * @param rpcUrl - of its plain JSON-RPC
 */
export function createServiceFork(client: ServiceClient, record: ForkRecord, rpcUrl: string): Fork {
  const post = async <T>(action: string, schema: z.ZodType<T>, body?: object): Promise<T> => {
    const path = `/v1/forks/${encodeURIComponent(record.id)}/${action}`;
    try {
      return await client.call({ method: 'POST', path, ...(body && { body }) }, schema);
    } catch (error) {
      if (error instanceof NotFoundError) throw forkGone(record.id);
      throw asRefusedCall(error, rpcUrl) ?? error;
    }
  };

  return {
    ...record,
    rpcUrl,
    async request(method, params = []) {
      const body = { jsonrpc: '2.0', id: 1, method, params };
      const answer = await post('rpc', wireRpcAnswerSchema, body);
      if ('error' in answer) throw new RpcRequestError({ body, error: answer.error, url: rpcUrl });
      return answer.result;
    },
    sendAs: ({ from, to, data, value, gas }) =>
      post('transactions', wireTransactionSchema, {
        from,
        to,
        data,
        value: value?.toString(),
        gas: gas?.toString(),
      }),
    // Nothing may be added, to read what is there: the service wants an amount.
    fund: ({ address, ethWei = 0n, usdcBaseUnits }) =>
      post('fund', wireBalancesSchema, {
        address,
        ethWei: ethWei.toString(),
        usdcBaseUnits: usdcBaseUnits?.toString(),
      }),
    async mine(count) {
      if (count > 0) await post('blocks', nothing, { count });
    },
    increaseTime: (seconds) => post('time', nothing, { seconds }),
    snapshot: async () => (await post('snapshots', wireSnapshotSchema)).snapshotId,
    revert: async (snapshotId) =>
      (await post(`snapshots/${encodeURIComponent(snapshotId)}/revert`, wireRevertSchema)).reverted,
  };
}

/** The error of the fork itself, where that is what the service passed on. */
function asRefusedCall(error: unknown, url: string): RpcRequestError | undefined {
  if (!(error instanceof InvalidParametersError)) return undefined;
  const refused = refusedCallSchema.safeParse(error.details);
  return refused.success ? new RpcRequestError({ body: {}, error: refused.data.rpcError, url }) : undefined;
}
