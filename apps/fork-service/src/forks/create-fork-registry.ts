import type { Fork, ForkProvider, ForkRecord } from '@yield-vault/forks';
import { ChainNotActiveError, NotFoundError } from '@yield-vault/protocol';
import { keepClock } from './keep-clock.js';

/** The forks of this instance under the ids that callers see. */
export interface ForkRegistry {
  /**
   * Get or create the persistent fork of a chain, or create an ephemeral one.
   *
   * @param signal Aborted when the caller disconnects. An ephemeral fork is then not created, or destroyed.
   */
  open(chain: string, kind: ForkRecord['kind'], signal: AbortSignal): Promise<ForkRecord>;
  list(): Promise<readonly ForkRecord[]>;
  /**
   * Find a fork.
   *
   * @throws {NotFoundError} the fork does not exist
   */
  require(id: string): Promise<Fork>;
  /** Destroy a fork. An unknown id of this instance is not an error. */
  destroy(id: string): Promise<void>;
  /** Replace the id of a fork by the one that callers see. */
  publish(fork: ForkRecord): ForkRecord;
}

/**
 * Create the registry of an instance.
 *
 * @param takesPayments Whether payments settle on the persistent forks.
 */
export function createForkRegistry(
  provider: ForkProvider,
  chains: readonly string[],
  ids: ForkIds,
  takesPayments = false,
): ForkRegistry {
  const publish = (fork: ForkRecord): ForkRecord => ({ ...fork, id: ids.toPublic(fork.id) });
  return {
    publish,
    async open(chain, kind, signal) {
      if (!chains.includes(chain)) {
        throw new ChainNotActiveError({
          detail: `${chain} is not a chain of this service.`,
          details: { supportedChains: [...chains] },
        });
      }
      if (kind === 'persistent') return publish(await provider.persistent(chain));
      const fork = await provider.create(chain, { signal });
      // Nobody knows its id.
      if (signal.aborted) await provider.destroy(fork.id);
      return publish(fork);
    },
    list: async () => (await provider.list()).map(publish),
    async require(id) {
      const fork = await provider.find(ids.toOwn(id));
      if (fork !== undefined) return takesPayments ? keepClock(fork) : fork;
      throw new NotFoundError({
        detail: 'The fork does not exist, or was destroyed.',
        nextAction: 'List the forks, or create one.',
        details: { forkId: id },
      });
    },
    destroy: (id) => provider.destroy(ids.toOwn(id)),
  };
}

/** Converts between the fork ids of this instance and the ids that callers see. */
export interface ForkIds {
  toPublic(id: string): string;
  /** @throws {NotFoundError} the id belongs to another instance */
  toOwn(publicId: string): string;
}

// Neither the name of an instance nor an id of the fork manager contains it.
const separator = '.';

/**
 * Create the ids of an instance. With a name, ids read `<instance>.<id>`, so that a balancer can route each call to
 * the instance that holds the fork.
 */
export function createForkIds(instance: string | undefined): ForkIds {
  if (instance === undefined) return { toPublic: (id) => id, toOwn: (id) => id };
  const prefix = `${instance}${separator}`;
  return {
    toPublic: (id) => `${prefix}${id}`,
    toOwn(publicId) {
      if (publicId.startsWith(prefix)) return publicId.slice(prefix.length);
      throw new NotFoundError({
        detail: `The fork does not belong to instance ${instance}, whose ids start with ${prefix}`,
        nextAction: 'Check that the balancer routes by the start of the id.',
        details: { instance },
      });
    },
  };
}
