import type { Fork, ForkProvider, ForkRecord } from '@yield-vault/forks';
import { ChainNotActiveError, NotFoundError } from '@yield-vault/protocol';
import { keepClock } from './keep-clock.js';

/** The forks of this service. */
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
  /** Destroy a fork. An unknown id is not an error. */
  destroy(id: string): Promise<void>;
}

/**
 * Create the registry.
 *
 * @param takesPayments Whether payments settle on the persistent forks.
 */
export function createForkRegistry(
  provider: ForkProvider,
  chains: readonly string[],
  takesPayments = false,
): ForkRegistry {
  return {
    async open(chain, kind, signal) {
      if (!chains.includes(chain)) {
        throw new ChainNotActiveError({
          detail: `${chain} is not a chain of this service.`,
          details: { supportedChains: [...chains] },
        });
      }
      if (kind === 'persistent') return provider.persistent(chain);
      const fork = await provider.create(chain, { signal });
      // Nobody knows its id.
      if (signal.aborted) await provider.destroy(fork.id);
      return fork;
    },
    list: () => provider.list(),
    async require(id) {
      const fork = await provider.find(id);
      if (fork !== undefined) return takesPayments ? keepClock(fork) : fork;
      throw new NotFoundError({
        detail: 'The fork does not exist, or was destroyed.',
        nextAction: 'List the forks, or create one.',
        details: { forkId: id },
      });
    },
    destroy: (id) => provider.destroy(id),
  };
}
