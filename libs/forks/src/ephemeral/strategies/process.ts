import type { RpcGateway } from '../../gateway/types.js';
import type { LaunchedFork } from '../../ports.js';
import type { BlockRef, Fork } from '../../types.js';
import { asSimulationError } from '../as-simulation-error.js';
import { asFork } from '../as-fork.js';
import { runTransactions } from '../run-transactions.js';
import type { TakeFork } from '../session.js';
import type { EphemeralChain } from '../options.js';

export interface ProcessOptions {
  readonly chain: EphemeralChain;
  readonly gateway: RpcGateway;
  /** Start a process of its own on a block. */
  readonly start: (id: string, block: BlockRef, signal: AbortSignal) => Promise<LaunchedFork>;
  readonly now: () => number;
}

/** Take forks that are a process of their own: calls are real transactions, and stay. */
export function processStrategy({ chain, gateway, start, now }: ProcessOptions): TakeFork {
  return async ({ id, maxHeadAgeMs, likely, deadline }) => {
    const block = await gateway.head(maxHeadAgeMs, likely);
    const launched = await start(id, block, deadline.signal);
    const fork: Fork = asFork(launched, { id, chain, block, createdAt: now() });
    let last: Promise<unknown> = Promise.resolve();

    return {
      block,
      fork,
      simulate(request) {
        const run = async () => {
          await gateway.prefetch(block, request.template, request.calls);
          const calls = await runTransactions(launched, request, { opStack: chain.opStack, now });
          return { block, strategy: 'process', calls } as const;
        };
        const result = last.then(run);
        last = result.catch(() => undefined);
        return result.catch((error: unknown) => {
          throw asSimulationError(error, chain.key);
        });
      },
      release: () => launched.destroy(),
    };
  };
}
