import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findAnvil, reapAnvils, startAnvil, type AnvilProcess } from '@yield-vault/anvil';
import { ForkNotRunningError } from '@yield-vault/protocol';
import { forkRequestDeadlineMs } from '../rpc/create-fork-request.js';
import { forkRpcDeadlineMs } from '../rpc/create-fork-rpc-handler.js';
import { createJsonPoster } from '../rpc/create-json-poster.js';
import type { ForkLauncher, ForkLogger, LaunchedFork, LaunchOptions } from '../ports.js';
import type { ForkChain } from '../types.js';
import { anvilArguments } from './anvil-arguments.js';
import { createAnvilFork, type Liveness } from './create-anvil-fork.js';
import { setClock } from './set-clock.js';
import { systemContracts } from './system-storage.js';
import { startUpstreamRelay, type UpstreamRelay } from './start-upstream-relay.js';

const readinessMs = 20_000;
const launchAttempts = 3;
// What stands still behind a call may be slow for a reason: state comes from the chain slot by slot. A caller gives up
// after 120 seconds, and what waits for that call to write after 60 more. From then on nobody waits for an answer.
const standstillMs = forkRpcDeadlineMs + forkRequestDeadlineMs;

/**
 * Make a launcher of forks that are Anvil processes of this machine. They die with this process.
 *
 * @param options.liveness - how often a fork is asked whether it lives, and how long it may take
 * @param options.standstill - the same for its state, which calls that run for long can lock
 */
export function createAnvilLauncher({
  logger,
  liveness = { everyMs: 1_000, deadlineMs: 5_000 },
  standstill = { everyMs: 5_000, deadlineMs: standstillMs },
}: {
  readonly logger: ForkLogger;
  readonly liveness?: Liveness;
  readonly standstill?: Liveness;
}): ForkLauncher {
  // Without a limit: the question whether a fork lives must not wait behind calls that it leaves unanswered.
  const poster = createJsonPoster({ connections: null });
  const relays = new Map<string, Promise<UpstreamRelay>>();
  const launching = new Set<Promise<LaunchedFork>>();
  const running = new Set<LaunchedFork>();
  const closing = new AbortController();
  let version: Promise<string> | undefined;

  const relayOf = (chain: ForkChain): Promise<UpstreamRelay> => {
    const known = relays.get(chain.key);
    if (known) return known;
    const relay = startUpstreamRelay(chain, logger);
    relays.set(chain.key, relay);
    relay.catch(() => relays.delete(chain.key));
    return relay;
  };

  const launch = async (chain: ForkChain, options: LaunchOptions): Promise<LaunchedFork> => {
    if (closing.signal.aborted) throw notStarted(chain);
    const signal = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
    const relay = await relayOf(chain);
    const { block, anvil } = await startAt(chain, relay, options.block, signal);
    const fork = createAnvilFork({
      chain,
      id: options.id,
      anvil,
      forkBlock: block,
      poster,
      liveness,
      standstill,
      logger,
    });
    running.add(fork);
    void anvil.ended.then(() => running.delete(fork));
    try {
      await setClock(fork.request);
      // Kept from here on: without them, no block could be mined while the chain is silent.
      for (const address of systemContracts) await fork.request('eth_getCode', [address, 'latest']);
    } catch (cause) {
      await fork.destroy();
      throw notStarted(chain, cause);
    }
    return fork;
  };

  return {
    kind: 'anvil',
    async launch(chain, options) {
      const launched = launch(chain, options);
      launching.add(launched);
      return launched.finally(() => launching.delete(launched));
    },
    async probe() {
      version ??= readVersion();
      return version.then(
        (text) => ({ isUp: true, version: text }),
        () => {
          version = undefined;
          return { isUp: false, version: '' };
        },
      );
    },
    async reap() {
      const ended = await Promise.resolve().then(reapAnvils);
      if (ended > 0) logger.warn({ ended }, 'ended Anvil processes that an earlier process left behind');
    },
    async close() {
      closing.abort();
      await Promise.allSettled(launching);
      await Promise.all([...running].map((fork) => fork.destroy()));
      await Promise.allSettled([...relays.values()].map(async (relay) => (await relay).close()));
      await poster.close();
    },
  };
}

/** Behind a balancer, the node that is asked may not have the newest block of the one that named it. */
async function startAt(
  chain: ForkChain,
  relay: UpstreamRelay,
  wanted: bigint | undefined,
  signal: AbortSignal,
): Promise<{ block: bigint; anvil: AnvilProcess }> {
  for (let attempt = 1; ; attempt++) {
    const newest = await relay.newestBlock(signal).catch((error: unknown) => {
      throw signal.aborted ? notStarted(chain, error) : error;
    });
    const block = wanted ?? newest;
    if (block > newest) throw notStarted(chain, new Error('the chain has no such block'));
    try {
      const anvil = await startAnvil({
        args: anvilArguments(chain, relay.url, block),
        readinessMs,
        signal,
      });
      return { block, anvil };
    } catch (cause) {
      if (attempt === launchAttempts || signal.aborted) throw notStarted(chain, cause);
    }
  }
}

function notStarted({ key }: ForkChain, cause?: unknown): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: `The fork of ${key} could not be started.`,
    details: { chain: key },
    retryAfterSeconds: 2,
    cause,
  });
}

async function readVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(findAnvil(), ['--version'], { timeout: 5_000 });
  const version = /Version:\s*(\S+)/.exec(stdout)?.[1] ?? 'unknown';
  return `anvil/v${version}`;
}
