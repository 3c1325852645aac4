import { createTransport, hexToBigInt, type EIP1193RequestFn, type Hex, type Transport } from 'viem';
import { isReadMethod } from './guard-transport.js';
import { isExecutionRevert, isMissingState } from './node-errors.js';
import { UpstreamFailure } from './upstream-failure.js';
import { isUnsent, upstreamReason } from './upstream-reason.js';

export interface FailoverOptions {
  /** Named in errors, e.g. `rpc:base`. */
  readonly dependency: string;
  /** A node whose newest block is older counts as down. Without it, any block is new enough. */
  readonly maxHeadAgeSeconds: number | undefined;
}

/**
 * Try several nodes in their order until one responds; a revert is a response. It reports missing state only if every
 * node lacks it, because a node that is down may have it. A node that showed an old head is tried last, until it shows
 * a new one.
 */
export function failover(
  transports: readonly Transport[],
  { dependency, maxHeadAgeSeconds }: FailoverOptions,
): Transport {
  const lagging = new Set<number>();
  return (parameters) => {
    const nodes = transports.map((transport, place) => ({
      place,
      node: transport({ ...parameters, retryCount: 0 }),
    }));
    const requireNewHead = (block: { readonly timestamp: Hex } | null, place: number) => {
      const age = block ? Math.floor(Date.now() / 1_000) - Number(hexToBigInt(block.timestamp)) : 0;
      lagging.delete(place);
      if (age <= maxHeadAgeSeconds!) return;
      lagging.add(place);
      throw new UpstreamFailure(dependency, `the newest block is ${age} s old`);
    };
    const request = async (...call: Parameters<EIP1193RequestFn>): Promise<unknown> => {
      const failures: unknown[] = [];
      const { method, params } = call[0] as { readonly method: string; readonly params?: readonly unknown[] };
      // Reads of the head go to all nodes in order, which shows whether the lagging ones caught up.
      const isHead =
        maxHeadAgeSeconds !== undefined && method === 'eth_getBlockByNumber' && params?.[0] === 'latest';
      const order = isHead
        ? nodes
        : [...nodes.filter(isCurrent), ...nodes.filter((each) => !isCurrent(each))];
      for (const { node, place } of order) {
        try {
          const response: unknown = await node.request(...call);
          if (isHead) requireNewHead(response as { readonly timestamp: Hex } | null, place);
          return response;
        } catch (error) {
          if (isExecutionRevert(error)) throw error;
          failures.push(error);
        }
      }
      // A node that failed may have accepted a write, whatever the next one says.
      const unknown = isReadMethod(call[0].method) ? undefined : failures.find(mayBeSent);
      throw unknown ?? failures.findLast((failure) => !isMissingState(failure)) ?? failures.at(-1);
    };
    const isCurrent = ({ place }: { readonly place: number }) => !lagging.has(place);
    return createTransport({
      key: 'failover',
      name: 'Failover',
      type: 'failover',
      retryCount: 0,
      request: request as EIP1193RequestFn,
    });
  };
}

const mayBeSent = (failure: unknown) => upstreamReason(failure) !== undefined && !isUnsent(failure);
