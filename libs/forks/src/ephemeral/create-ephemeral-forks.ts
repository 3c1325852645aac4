import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { ChainNotActiveError, ForkNotRunningError } from '@yield-vault/protocol';
import type { HostStats } from '../hosts/create-block-hosts.js';
import type { EphemeralForks } from '../ports.js';
import { createJsonPoster } from '../rpc/create-json-poster.js';
import type { EphemeralFork, EphemeralForkOptions, ForkRecord, ForkStrategy } from '../types.js';
import { bindSession } from './bind-session.js';
import { capacityError, createAdmission } from './create-admission.js';
import { createChainForks, type ChainForks } from './create-chain-forks.js';
import { createDeadline, type Deadline } from './create-deadline.js';
import type { ShadowStats } from './create-shadow.js';
import type { EphemeralChain, EphemeralForksOptions } from './options.js';
import type { Session } from './session.js';

/** What ephemeral forks are doing and did since the start. */
export interface EphemeralForkStats {
  readonly active: number;
  readonly waiting: number;
  /** By chain, for those that were used. */
  readonly chains: Readonly<Record<string, { readonly hosts: HostStats; readonly shadow: ShadowStats }>>;
}

/** Ephemeral forks that can be watched. */
export interface MeteredEphemeralForks extends EphemeralForks {
  stats(): EphemeralForkStats;
}

/**
 * Make the ephemeral forks of chains. Nothing is started before the first use of a chain.
 *
 * @example
 * const forks = createEphemeralForks({ chains, options, logger });
 * const { calls } = await forks.withEphemeralFork('base', (fork) => fork.simulate({ calls: [{ from, to, data }] }));
 * await forks.close();
 */
export function createEphemeralForks(setup: EphemeralForksOptions): MeteredEphemeralForks {
  const { chains, options, managed, logger, now = Date.now, random = Math.random } = setup;
  const { deadlineMs, shadowFraction } = options;
  const poster = createJsonPoster();
  const admission = createAdmission(options);
  const closing = new AbortController();
  // One for each use, taken away when it ends.
  setMaxListeners(0, closing.signal);
  const active = new Map<string, ForkRecord>();
  const uses = new Set<Promise<unknown>>();
  const known = new Map<string, KnownChain>();

  const chainForks = (chain: EphemeralChain): Promise<ChainForks> => {
    const made = known.get(chain.key);
    if (made) return made.forks;
    const forks = createChainForks({
      chain,
      deadlineMs,
      shadowFraction,
      managed,
      poster,
      logger,
      now,
      random,
    });
    const entry: KnownChain = { forks };
    known.set(chain.key, entry);
    forks.then(
      (ready) => (entry.ready = ready),
      () => known.delete(chain.key),
    );
    return forks;
  };

  const useFork = async <T>(
    chain: EphemeralChain,
    strategy: ForkStrategy,
    use: (fork: EphemeralFork) => Promise<T>,
    wanted: EphemeralForkOptions,
    deadline: Deadline,
  ): Promise<T> => {
    const id = randomUUID();
    const { maxHeadAgeMs = chain.maxHeadAgeMs, likely } = wanted;
    const taking = chainForks(chain).then(({ take }) =>
      take[strategy]({ id, maxHeadAgeMs, likely, deadline }),
    );
    // A fork that comes when nobody waits for it any more goes at once.
    const session = await deadline.race(taking).catch((error: unknown) => {
      taking.then((late) => late.release()).catch(() => undefined);
      throw error;
    });
    active.set(id, record(id, chain, session, now()));
    const fork = bindSession(session, { id, chain: chain.key, strategy });
    try {
      return await deadline.race(use(fork.view));
    } finally {
      fork.end();
      active.delete(id);
      await session.release();
    }
  };

  const withEphemeralFork = async <T>(
    key: string,
    use: (fork: EphemeralFork) => Promise<T>,
    wanted: EphemeralForkOptions = {},
  ): Promise<T> => {
    const chain = requireChain(chains, key);
    const strategy = wanted.strategy ?? options.strategy;
    const deadline = createDeadline(wanted.deadlineMs ?? deadlineMs, [wanted.signal, closing.signal]);
    let isAdmitted = false;
    try {
      return await admission.run(strategy === 'process', deadline.signal, () => {
        isAdmitted = true;
        return useFork(chain, strategy, use, wanted, deadline);
      });
    } catch (error) {
      if (!isAdmitted && deadline.hasPassed())
        throw capacityError('The simulation waited too long for its turn.');
      throw error;
    } finally {
      deadline.clear();
    }
  };

  return {
    withEphemeralFork(chain, use, wanted) {
      const running = withEphemeralFork(chain, use, wanted);
      const settled: Promise<void> = running
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => uses.delete(settled));
      uses.add(settled);
      return running;
    },
    list: () => [...active.values()],
    stats: () => ({
      active: active.size,
      waiting: admission.waiting(),
      chains: Object.fromEntries(
        [...known].flatMap(([key, { ready }]) => (ready ? [[key, ready.stats()] as const] : [])),
      ),
    }),
    async close() {
      closing.abort(
        new ForkNotRunningError({ detail: 'The forks are being shut down.', retryAfterSeconds: 5 }),
      );
      await Promise.all(uses);
      // What could not be made needs no end.
      await Promise.allSettled([...known.values()].map(async ({ forks }) => (await forks).close()));
      await poster.close();
    },
  };
}

interface KnownChain {
  readonly forks: Promise<ChainForks>;
  /** The same, once they are there. */
  ready?: ChainForks;
}

function requireChain(chains: readonly EphemeralChain[], key: string): EphemeralChain {
  const chain = chains.find((each) => each.key === key);
  if (chain) return chain;
  throw new ChainNotActiveError({ detail: `There are no forks of ${key}.`, details: { chain: key } });
}

function record(
  id: string,
  { key, chainId }: EphemeralChain,
  session: Session,
  createdAt: number,
): ForkRecord {
  const forkBlock = session.block.number;
  return { id, kind: 'ephemeral', chain: key, chainId, status: 'running', forkBlock, createdAt };
}
