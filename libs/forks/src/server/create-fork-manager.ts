import { ForksNotConfiguredError, type LoggerPort } from '@yield-vault/protocol';
import type { Fork, ForkChain, ForkProvider } from '../types.js';
import { asForkError, createCapacity, managerClosed } from './capacity.js';
import { createAnvilLauncher } from './fork/create-anvil-launcher.js';
import { asFork, newForkId, recordOf } from './fork/as-fork.js';
import { createPersistentSlot } from './persistent/create-persistent-slot.js';
import { createStateStore } from './persistent/fork-state.js';

export interface ForkManagerOptions {
  readonly chains: readonly ForkChain[];
  readonly options: {
    /** Most forks at a time, persistent and ephemeral together. */
    readonly maxForks: number;
    /** Time without use after which an ephemeral fork is destroyed. */
    readonly idleSeconds: number;
    /** Folder that keeps the state of persistent forks over a restart. One manager at a time may use it. */
    readonly stateDirectory?: string | undefined;
  };
  readonly logger: LoggerPort;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Make the manager of the Anvil forks of this process: one persistent fork per chain, and ephemeral forks on request.
 *
 * @example
 * const forks = createForkManager({ chains, options: { maxForks: 8, idleSeconds: 900 }, logger });
 * const fork = await forks.persistent('base');
 * await fork.fund({ address: '0x…', ethWei: 10n ** 16n, usdcBaseUnits: 50_000_000n });
 * await forks.close();
 */
export function createForkManager({
  chains,
  options,
  logger,
  now = Date.now,
}: ForkManagerOptions): ForkProvider {
  const { maxForks, idleSeconds, stateDirectory } = options;
  const launcher = createAnvilLauncher({ logger });
  const capacity = createCapacity(maxForks);
  const store = stateDirectory === undefined ? undefined : createStateStore(stateDirectory, logger);
  const slots = new Map(
    chains.map((chain) => [
      chain.key,
      { chain, ...createPersistentSlot({ chain, launcher, store, logger, now }, capacity) },
    ]),
  );
  const ephemeral = new Map<string, { fork: Fork; lastUsed: number; destroy: () => Promise<void> }>();
  const closing = new AbortController();

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
    if (closing.signal.aborted) throw managerClosed(key);
    const release = capacity.take();
    const id = newForkId(key);
    try {
      const signals = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const anvil = await launcher.launch(chain, { id, signal: signals });
      const fork = asFork(anvil, {
        chain,
        id,
        kind: 'ephemeral',
        createdAt: now(),
        onUse: () => touch(id),
      });
      const forget = (): void => {
        ephemeral.delete(id);
        release();
      };
      void anvil.ended.then(forget);
      const destroy = (): Promise<void> => {
        forget();
        return anvil.destroy();
      };
      ephemeral.set(id, { fork, lastUsed: now(), destroy });
      return fork;
    } catch (error) {
      release();
      throw asForkError(error, key);
    }
  };
  const touch = (id: string): void => {
    const entry = ephemeral.get(id);
    if (entry) entry.lastUsed = now();
  };
  const destroyIdle = (): void => {
    const oldest = now() - idleSeconds * 1_000;
    for (const { fork, lastUsed, destroy } of ephemeral.values()) {
      if (lastUsed > oldest) continue;
      logger.info({ chain: fork.chain, forkId: fork.id }, 'an idle fork is destroyed');
      void destroy().catch(logFailure(fork));
    }
  };
  const logFailure =
    ({ chain, id }: Fork) =>
    (error: unknown): void =>
      logger.warn({ chain, forkId: id, err: error }, 'a fork could not be destroyed');
  const idleTimer = setInterval(destroyIdle, Math.min(idleSeconds * 250, 30_000)).unref();

  return {
    persistent: async (chain) => slotOf(chain).use(),
    create: (chain, { signal } = {}) => create(chain, signal),
    async find(id) {
      touch(id);
      return Promise.resolve(ephemeral.get(id)?.fork ?? findSlot(id)?.current());
    },
    list: () =>
      Promise.resolve([
        ...[...slots.values()].flatMap((slot) => slot.record() ?? []),
        ...[...ephemeral.values()].map(({ fork }) => recordOf(fork)),
      ]),
    async destroy(id) {
      await ephemeral.get(id)?.destroy();
      await findSlot(id)?.evict();
    },
    async health() {
      const version = await launcher.version();
      const isFailing = [...slots.values()].some((slot) => slot.record()?.status === 'failed');
      const isDegraded = isFailing || capacity.used() >= maxForks;
      const status = version === undefined ? 'unavailable' : isDegraded ? 'degraded' : 'healthy';
      return { status, activeForks: capacity.used(), maxForks, version: version ?? '' };
    },
    async close() {
      closing.abort();
      clearInterval(idleTimer);
      await Promise.all([...slots.values()].map((slot) => slot.close()));
      await Promise.all(
        [...ephemeral.values()].map(({ fork, destroy }) => destroy().catch(logFailure(fork))),
      );
      await launcher.close();
    },
  };
}
