import { ForksNotConfiguredError } from '@yield-vault/protocol';
import type { ForkLauncher, ForkLogger, ForkProvider } from '../ports.js';
import type { Fork, ForkChain, ForkHealth } from '../types.js';
import { createCapacity } from './create-capacity.js';
import { createManagedFork, recordOf } from './create-managed-fork.js';
import { createPersistentSlot } from './create-persistent-slot.js';
import { createStateStore } from './create-state-store.js';
import { asForkError, providerClosed } from './fork-errors.js';
import { newForkId } from './launch-persistent-fork.js';

export interface ForkManagerOptions {
  readonly launcher: ForkLauncher;
  readonly chains: readonly ForkChain[];
  readonly options: {
    /** Persistent and created ones together. */
    readonly maxForks: number;
    /** After which a persistent fork is replaced by one at the newest block; null for never. */
    readonly maxAgeSeconds: number | null;
    /** After which a created fork that nobody uses is ended. */
    readonly idleSeconds: number;
    /** Where the state of persistent forks outlives this process. Of this manager alone. */
    readonly stateDirectory?: string;
  };
  readonly logger: ForkLogger;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

interface CreatedFork {
  readonly fork: Fork;
  lastUsed: number;
  readonly end: () => Promise<void>;
}

/**
 * Make the manager of the forks of this process: one persistent fork a chain, and others on request.
 *
 * @example
 * const forks = createForkManager({ launcher: createAnvilLauncher({ logger }), chains, options, logger });
 * const fork = await forks.persistent('base');
 * await fork.fund({ address: '0x…', ethWei: 10n ** 16n, usdcBaseUnits: 50_000_000n });
 * await forks.close();
 */
export function createForkManager({
  launcher,
  chains,
  options,
  logger,
  now = Date.now,
}: ForkManagerOptions): ForkProvider {
  const { maxForks, maxAgeSeconds, idleSeconds, stateDirectory } = options;
  const capacity = createCapacity(maxForks);
  const store = stateDirectory === undefined ? undefined : createStateStore(stateDirectory, logger);
  const maxAgeMs = maxAgeSeconds === null ? Infinity : maxAgeSeconds * 1_000;
  const slots = new Map(
    chains.map((chain) => [
      chain.key,
      { chain, ...createPersistentSlot({ chain, launcher, store, capacity, maxAgeMs, logger, now }) },
    ]),
  );
  const created = new Map<string, CreatedFork>();
  const closing = new AbortController();
  const reaped = launcher.reap().catch((error: unknown) => {
    logger.warn({ err: error }, 'forks that an earlier process left behind could not be ended');
  });

  const slotOf = (chain: string) => {
    const slot = slots.get(chain);
    if (slot) return slot;
    throw new ForksNotConfiguredError({
      detail: `No forks are configured for the chain ${chain}.`,
      details: { chain },
    });
  };
  const findSlot = (id: string) => [...slots.values()].find((slot) => slot.current()?.id === id);

  const create = async (key: string, signal?: AbortSignal): Promise<Fork> => {
    const { chain } = slotOf(key);
    if (closing.signal.aborted) throw providerClosed(key);
    const giveBack = capacity.take();
    const id = newForkId(key);
    try {
      await reaped;
      const signals = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const launched = await launcher.launch(chain, { id, kind: 'ephemeral', signal: signals });
      const onUse = () => touch(id);
      const fork = createManagedFork({ launched, chain, id, kind: 'ephemeral', createdAt: now(), onUse });
      const forget = (): void => {
        created.delete(id);
        giveBack();
      };
      void launched.ended.then(forget);
      const end = async (): Promise<void> => {
        forget();
        await launched.destroy();
      };
      created.set(id, { fork, lastUsed: now(), end });
      return fork;
    } catch (error) {
      giveBack();
      throw asForkError(error, key);
    }
  };
  const touch = (id: string): void => {
    const entry = created.get(id);
    if (entry) entry.lastUsed = now();
  };
  const endIdle = (): void => {
    const oldest = now() - idleSeconds * 1_000;
    for (const { fork, lastUsed, end } of created.values()) {
      if (lastUsed > oldest) continue;
      logger.info({ chain: fork.chain, forkId: fork.id }, 'a fork that nobody uses is ended');
      void end().catch(leftBehind(fork));
    }
  };
  const leftBehind =
    ({ chain, id }: Fork) =>
    (error: unknown): void =>
      logger.warn({ chain, forkId: id, err: error }, 'a fork could not be ended');
  const idleTimer = setInterval(endIdle, Math.min(idleSeconds * 250, 30_000)).unref();

  return {
    kind: launcher.kind,
    async persistent(chain) {
      const slot = slotOf(chain);
      await reaped;
      return slot.use();
    },
    create: (chain, { signal } = {}) => create(chain, signal),
    async find(id) {
      touch(id);
      return Promise.resolve(created.get(id)?.fork ?? findSlot(id)?.current());
    },
    async list() {
      const persistent = [...slots.values()].flatMap((slot) => slot.record() ?? []);
      return Promise.resolve([...persistent, ...[...created.values()].map(({ fork }) => recordOf(fork))]);
    },
    async destroy(id) {
      await created.get(id)?.end();
      await findSlot(id)?.evict();
    },
    health: async () => {
      const { isUp, version } = await launcher.probe();
      const isFailing = [...slots.values()].some((slot) => slot.record()?.status === 'failed');
      const isDegraded = isFailing || capacity.used() >= maxForks;
      const status: ForkHealth['status'] = !isUp ? 'unavailable' : isDegraded ? 'degraded' : 'healthy';
      return { status, activeForks: capacity.used(), maxForks, version };
    },
    async close() {
      closing.abort();
      clearInterval(idleTimer);
      await Promise.all([...slots.values()].map((slot) => slot.close()));
      await Promise.all([...created.values()].map(({ fork, end }) => end().catch(leftBehind(fork))));
      await launcher.close();
    },
  };
}
