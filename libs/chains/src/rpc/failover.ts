import { createTransport, type EIP1193RequestFn, type Transport } from 'viem';
import { isReadMethod } from './guard-transport.js';
import { isExecutionRevert, isMissingState } from './node-errors.js';
import { isUnsent, upstreamReason } from './upstream-reason.js';

/**
 * Ask several nodes in their order until one responds; a revert is a response. That the state of a block is missing
 * is only said when every node lacks it: one that is down might have it.
 */
export function failover(transports: readonly Transport[]): Transport {
  return (parameters) => {
    const nodes = transports.map((transport) => transport({ ...parameters, retryCount: 0 }));
    const request = async (...call: Parameters<EIP1193RequestFn>): Promise<unknown> => {
      const failures: unknown[] = [];
      for (const node of nodes) {
        try {
          return await node.request(...call);
        } catch (error) {
          if (isExecutionRevert(error)) throw error;
          failures.push(error);
        }
      }
      // A node that failed may have accepted a write, whatever the next one says.
      const unknown = isReadMethod(call[0].method) ? undefined : failures.find(mayBeSent);
      throw unknown ?? failures.findLast((failure) => !isMissingState(failure)) ?? failures.at(-1);
    };
    return createTransport({
      ...{ key: 'failover', name: 'Failover', type: 'failover', retryCount: 0 },
      request: request as EIP1193RequestFn,
    });
  };
}

const mayBeSent = (failure: unknown) => upstreamReason(failure) !== undefined && !isUnsent(failure);
