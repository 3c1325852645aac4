import { randomUUID } from 'node:crypto';
import { createRpcGateway } from '../gateway/create-rpc-gateway.js';
import { createBlockHosts, type HostStats } from '../hosts/create-block-hosts.js';
import { startHost } from '../hosts/start-host.js';
import { startSpareHost } from '../hosts/start-spare-host.js';
import type { ForkLogger, ForkProvider } from '../ports.js';
import type { JsonPoster } from '../rpc/create-json-poster.js';
import type { BlockRef, ForkStrategy } from '../types.js';
import { createDeadline } from './create-deadline.js';
import { createShadow, type ShadowStats } from './create-shadow.js';
import type { EphemeralChain } from './options.js';
import { runTransactions } from './run-transactions.js';
import type { TakeFork } from './session.js';
import { managedStrategy } from './strategies/managed.js';
import { overlayStrategy } from './strategies/overlay.js';
import { processStrategy } from './strategies/process.js';
import { upstreamSimulateStrategy } from './strategies/upstream-simulate.js';

const idleHostMs = 30_000;
// In the order in which calls were given, by whomever; checked when they are mined, not when they are sent.
const processArguments = ['--auto-impersonate', '--order', 'fifo', '--disable-pool-balance-checks'];

/** What makes ephemeral forks of one chain. */
export interface ChainForks {
  readonly take: Readonly<Record<ForkStrategy, TakeFork>>;
  stats(): { readonly hosts: HostStats; readonly shadow: ShadowStats };
  close(): Promise<void>;
}

/** Set up the forks of one chain: gateway, hosts and strategies. */
export async function createChainForks(options: {
  readonly chain: EphemeralChain;
  readonly deadlineMs: number;
  readonly shadowFraction: number;
  readonly managed: ForkProvider | undefined;
  readonly poster: JsonPoster;
  readonly logger: ForkLogger;
  readonly now: () => number;
  readonly random: () => number;
}): Promise<ChainForks> {
  const { chain, deadlineMs, shadowFraction, managed, poster, logger, now, random } = options;
  const gateway = await createRpcGateway({
    chain,
    upstreamUrls: chain.upstreamUrls,
    // An upstream that stalls is noticed before the fork's own time is up.
    deadlineMs: Math.ceil(deadlineMs / 2),
    // What is asked every time is a fork: one node, and a head that goes back is that of another fork.
    ...(chain.maxHeadAgeMs === 0 && { longestLagMs: 0 }),
    now,
  });
  const closing = new AbortController();

  const start = (id: string, block: BlockRef, args: readonly string[], signal: AbortSignal) =>
    startHost({ chain, id, block, url: gateway.urlFor(block), args, poster, logger, signal });
  const startProcess = (id: string, block: BlockRef, signal: AbortSignal) =>
    start(id, block, processArguments, signal);
  const hosts = createBlockHosts({
    start: (block) => start(`host-${block.hash}`, block, [], closing.signal),
    startSpare: () =>
      startSpareHost({
        ...{ chain, id: `host-${randomUUID()}`, poster, logger },
        reservation: gateway.reserve(),
        signal: closing.signal,
      }),
    idleMs: idleHostMs,
  });
  const shadow = createShadow({
    chain: chain.key,
    fraction: shadowFraction,
    random,
    logger,
    async repeat(request, { block }) {
      const deadline = createDeadline(deadlineMs, [closing.signal]);
      try {
        const fork = await startProcess(`shadow-${block.hash}`, block, deadline.signal);
        try {
          return await deadline.race(runTransactions(fork, request, { opStack: chain.opStack, now }));
        } finally {
          await fork.destroy();
        }
      } finally {
        deadline.clear();
      }
    },
  });

  return {
    take: {
      overlay: overlayStrategy({ chain: chain.key, gateway, hosts, now, onResult: shadow.observe }),
      process: processStrategy({ chain, gateway, start: startProcess, now }),
      'upstream-simulate': upstreamSimulateStrategy({ chain: chain.key, gateway, poster, now }),
      managed: managedStrategy(chain.key, managed),
    },
    stats: () => ({ hosts: hosts.stats(), shadow: shadow.stats() }),
    async close() {
      closing.abort();
      await hosts.close();
      await gateway.close();
      await shadow.settle();
    },
  };
}
