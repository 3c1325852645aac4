import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ForkNotRunningError, type LoggerPort } from '@yield-vault/protocol';
import type { ForkChain } from '../../types.js';
import { findAnvil, startAnvil, type AnvilProcess } from '../anvil/index.js';
import { createAnvilFork, setClock, type AnvilFork, type Liveness } from './create-anvil-fork.js';
import { forkRequestDeadlineMs } from './create-fork-request.js';
import { startUpstreamRelay, type UpstreamRelay } from './start-upstream-relay.js';
import { systemContracts } from './system-storage.js';

export interface LaunchOptions {
  readonly id: string;
  /** The newest block by default. */
  readonly block?: bigint;
  readonly signal?: AbortSignal | undefined;
}

/** Longest time for a call of a wallet or bundler. */
export const forkRpcDeadlineMs = 120_000;

/** Launches forks, each an Anvil process of this machine. They die with this process. */
export interface AnvilLauncher {
  /** @throws {ForkNotRunningError} the fork could not be started; retryable */
  launch(chain: ForkChain, options: LaunchOptions): Promise<AnvilFork>;
  /** Read the version of Anvil, e.g. `anvil/v1.7.1`; undefined when it cannot be run. */
  version(): Promise<string | undefined>;
  close(): Promise<void>;
}

const launchAttempts = 3;
// A call can be slow because state comes from the upstream chain slot by slot. Its caller gives up after 120 seconds,
// and a write that waits for it 60 seconds later. After that no client waits for a response.
const standstillMs = forkRpcDeadlineMs + forkRequestDeadlineMs;

/**
 * Make a launcher of forks.
 *
 * @param options.liveness How often a fork is checked, and how long it may take to respond.
 * @param options.standstill The same for its state, which long calls can lock.
 */
export function createAnvilLauncher({
  logger,
  liveness = { everyMs: 1_000, deadlineMs: 5_000 },
  standstill = { everyMs: 5_000, deadlineMs: standstillMs },
}: {
  readonly logger: LoggerPort;
  readonly liveness?: Liveness;
  readonly standstill?: Liveness;
}): AnvilLauncher {
  const relays = new Map<string, Promise<UpstreamRelay>>();
  const launching = new Set<Promise<AnvilFork>>();
  const running = new Set<AnvilFork>();
  const closing = new AbortController();
  let knownVersion: string | undefined;

  const relayOf = (chain: ForkChain): Promise<UpstreamRelay> => {
    const relay = relays.get(chain.key) ?? startUpstreamRelay(chain, logger);
    relays.set(chain.key, relay);
    relay.catch(() => relays.delete(chain.key));
    return relay;
  };

  const launch = async (chain: ForkChain, { id, ...options }: LaunchOptions): Promise<AnvilFork> => {
    if (closing.signal.aborted) throw notStarted(chain);
    const signal = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
    const relay = await relayOf(chain);
    const { block, anvil } = await startAt(chain, relay, options.block, signal);
    const fork = createAnvilFork({
      chain: chain.key,
      id,
      anvil,
      forkBlock: block,
      liveness,
      standstill,
      logger,
    });
    running.add(fork);
    void anvil.ended.then(() => running.delete(fork));
    try {
      await setClock(fork.request);
      // Cached from here on: otherwise a fork could not mine while the upstream chain is silent.
      for (const address of systemContracts) await fork.request('eth_getCode', [address, 'latest']);
    } catch (cause) {
      await fork.destroy();
      throw notStarted(chain, cause);
    }
    return fork;
  };

  return {
    async launch(chain, options) {
      const launched = launch(chain, options);
      launching.add(launched);
      return launched.finally(() => launching.delete(launched));
    },
    async version() {
      knownVersion ??= await readVersion().catch(() => undefined);
      return knownVersion;
    },
    async close() {
      closing.abort();
      await Promise.allSettled(launching);
      await Promise.all([...running].map((fork) => fork.destroy()));
      await Promise.allSettled([...relays.values()].map(async (relay) => (await relay).close()));
    },
  };
}

/** Start an Anvil at a block. Behind a balancer, the next node may not have the newest block yet, so try again. */
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
      const args = anvilArguments(chain, relay.url, block);
      return { block, anvil: await startAnvil({ args, signal }) };
    } catch (cause) {
      if (attempt === launchAttempts || signal.aborted) throw notStarted(chain, cause);
    }
  }
}

function notStarted({ key }: ForkChain, cause?: unknown): ForkNotRunningError {
  // The whole cause can name the URL of the relay.
  const reason = /(such|get) block/.test(String(cause)) ? ': no node has its block' : '';
  return new ForkNotRunningError({
    detail: `The fork of ${key} could not be started${reason}.`,
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

// Past states that stay readable. Clients read the newest blocks of a fork.
const statesKept = 64;

function anvilArguments(
  { chainId, opStack }: ForkChain,
  upstreamUrl: string,
  block: bigint,
): readonly string[] {
  return [
    // Anvil's ten accounts would cost forty requests at the start.
    ...['--accounts', '0'],
    ...['--fork-url', upstreamUrl, '--fork-block-number', String(block), '--fork-chain-id', String(chainId)],
    // The cache on disk is keyed by block number, which is wrong after a reorganisation or on a restarted local chain.
    ...['--no-storage-caching', '--no-rate-limit', '--retries', '1', '--timeout', '20000'],
    // The state of a long-lived fork is loaded in one request.
    '--no-request-size-limit',
    // Otherwise every past state goes to disk, 0.2 MB for each block.
    ...['--prune-history', String(statesKept)],
    ...(opStack ? ['--network', 'optimism'] : []),
  ];
}
