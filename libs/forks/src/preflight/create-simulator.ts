import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import {
  ChainNotActiveError,
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  type LoggerPort,
} from '@yield-vault/protocol';
import PQueue from 'p-queue';
import { createDeadline, type Deadline } from '../create-deadline.js';
import type { ActiveFork, ForkChain, ForkProvider } from '../types.js';
import { createEndpoints, unavailable, type Endpoints } from './create-endpoints.js';
import { nextBlock, simulateOnFork, simulateOnNode } from './simulate-user-operation.js';
import type { NewestBlock, UserOperationRequest, UserOperationSimulation } from './types.js';

export interface SimulatorOptions {
  /** `upstreamUrls` are the endpoints of the RPC that wallets act on. */
  readonly chains: readonly ForkChain[];
  readonly limits: {
    /** Simulations at the same time; the others wait. */
    readonly concurrency: number;
    /** Simulations that may wait; a further one is refused. */
    readonly queueLimit: number;
    /** Longest time for waiting and simulating, in milliseconds. */
    readonly deadlineMs: number;
  };
  /** The newest block of a chain that the process has seen; the node's own block without one. */
  readonly newestBlock?: (chain: string) => NewestBlock | undefined;
  /** Makes Anvil forks where no endpoint simulates. */
  readonly forks?: Pick<ForkProvider, 'create' | 'destroy'>;
  /**
   * Whether a new fork of the chain contains what wallets did; false for a chain on a managed fork. Without this
   * function, every chain can be forked.
   */
  readonly canFork?: (chain: string) => boolean;
  readonly logger: LoggerPort;
  /** Unix milliseconds; `Date.now` by default. */
  readonly now?: () => number;
}

/** Simulates user operations on the chains that wallets act on. */
export interface Simulator {
  /**
   * Simulate a signed user operation at the newest block, as the bundler would send it.
   *
   * @throws {ForkCapacityError} too many simulations wait; retryable
   * @throws {UpstreamUnavailableError} no endpoint can simulate now; retryable
   * @throws {ForkNotRunningError} the deadline passed, or the fork does not respond; retryable
   */
  simulate(request: UserOperationRequest): Promise<UserOperationSimulation>;
  /**
   * Probe every endpoint.
   *
   * @throws {ForksNotConfiguredError} a chain can be simulated neither on its endpoints nor on a fork
   */
  probe(): Promise<void>;
  /** The simulations and ephemeral forks that run now. */
  list(): readonly ActiveFork[];
  /** How many simulations wait for their turn. */
  waiting(): number;
  close(): Promise<void>;
}

type Use = (deadline: Deadline) => Promise<UserOperationSimulation>;

/**
 * Make a simulator. It sends nothing before its first use.
 *
 * @example
 * const simulator = createSimulator({ chains, limits, logger });
 * await simulator.probe();
 * const simulation = await simulator.simulate({ chain: 'base', operation, userOpHash });
 * await simulator.close();
 */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { chains, limits, newestBlock, forks, canFork = () => true, logger, now = Date.now } = options;
  const { concurrency, queueLimit, deadlineMs } = limits;
  const queue = new PQueue({ concurrency });
  const closing = new AbortController();
  // One listener for each simulation, removed when it ends.
  setMaxListeners(0, closing.signal);
  const active = new Map<string, ActiveFork>();
  const running = new Set<Promise<unknown>>();
  const endpoints = new Map<string, Endpoints>(
    chains.map((chain) => [chain.key, createEndpoints({ chain, deadlineMs, logger, now })]),
  );

  const tracked = async <T>(fork: ActiveFork, work: () => Promise<T>): Promise<T> => {
    active.set(fork.id, fork);
    try {
      return await work();
    } finally {
      active.delete(fork.id);
    }
  };

  // Fork-status lists a simulation on a node as an ephemeral fork.
  const onNode = (chain: ForkChain, request: UserOperationRequest, { send }: Endpoints, deadline: Deadline) =>
    tracked(
      {
        id: randomUUID(),
        kind: 'ephemeral',
        backend: 'node',
        status: 'running',
        chain: chain.key,
        chainId: chain.chainId,
        createdAt: now(),
      },
      () => {
        const block = nextBlock(newestBlock?.(chain.key), now());
        return deadline.race(simulateOnNode(send, chain, request, block));
      },
    );

  const onFork = async (on: ForkChain, request: UserOperationRequest, deadline: Deadline) => {
    const chain = on.key;
    if (!forks || !canFork(chain)) throw unavailable(chain);
    const creating = forks.create(chain, { signal: deadline.signal });
    const fork = await deadline.race(creating).catch((error: unknown) => {
      // A fork that comes after the deadline is destroyed at once.
      creating.then(({ id }) => forks.destroy(id)).catch(() => undefined);
      throw error;
    });
    return tracked({ ...fork, backend: 'anvil' }, async () => {
      try {
        return await deadline.race(simulateOnFork(fork, on, request, now()));
      } finally {
        await forks.destroy(fork.id).catch((error: unknown) => {
          logger.warn({ chain, forkId: fork.id, err: error }, 'an ephemeral fork could not be destroyed');
        });
      }
    });
  };

  /** Wait for a turn and simulate. */
  const admit = async (use: Use): Promise<UserOperationSimulation> => {
    if (queue.pending >= concurrency && queue.size >= queueLimit) {
      throw capacityError(`${String(queue.size)} simulations wait already.`);
    }
    const deadline = createDeadline(deadlineMs, [closing.signal]);
    // The queue frees the place of an aborted run at once. Here a place is free once the run has cleaned up.
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(deadline.signal.reason);
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    if (deadline.signal.aborted) giveUp();
    let isAdmitted = false;
    const start = () => {
      isAdmitted = true;
      deadline.signal.removeEventListener('abort', giveUp);
      return use(deadline);
    };
    try {
      return await queue.add(start, { signal: waiting.signal });
    } catch (error) {
      if (isAdmitted || !deadline.hasPassed()) throw error;
      throw capacityError('The simulation waited too long for its turn.');
    } finally {
      deadline.clear();
    }
  };
  const run = (use: Use): Promise<UserOperationSimulation> => {
    const work = admit(use);
    const ended: Promise<unknown> = work.catch(() => undefined).finally(() => running.delete(ended));
    running.add(ended);
    return work;
  };

  return {
    async simulate(request) {
      const chain = chains.find(({ key }) => key === request.chain);
      const nodes = endpoints.get(request.chain);
      if (!chain || !nodes) {
        const details = { chain: request.chain };
        throw new ChainNotActiveError({ detail: `${request.chain} cannot be simulated.`, details });
      }
      return run(async (deadline) => {
        if (await deadline.race(nodes.canSimulate())) return onNode(chain, request, nodes, deadline);
        return onFork(chain, request, deadline);
      });
    },
    async probe() {
      await Promise.all(
        chains.map(async ({ key }) => {
          const results = await endpoints.get(key)!.probe();
          // A silent endpoint may respond later. Only a failed one counts.
          if ((forks && canFork(key)) || results.some((result) => result !== 'failed')) return;
          throw new ForksNotConfiguredError({
            detail:
              `No RPC endpoint of ${key} simulates correctly with eth_simulateV1, and no fork service can replace it. ` +
              'Set preflight.mode to off, use another RPC, or configure a fork service.',
            details: { chain: key },
          });
        }),
      );
    },
    list: () => [...active.values()],
    waiting: () => queue.size,
    async close() {
      closing.abort(
        new ForkNotRunningError({ detail: 'The simulator is shutting down.', retryAfterSeconds: 5 }),
      );
      await Promise.all(running);
    },
  };
}

function capacityError(detail: string): ForkCapacityError {
  return new ForkCapacityError({ detail, retryAfterSeconds: 1 });
}
