import type { Fork, ForkKind, ForkProvider, ForkRecord } from '@yield-vault/forks';
import { ChainNotActiveError, NotFoundError } from '@yield-vault/protocol';
import { keepClock } from './keep-clock.js';
import type { ForkIds } from './create-fork-ids.js';

/** The forks of this instance under the ids that callers see. */
export interface ForkDesk {
  /**
   * Get or create the persistent fork of a chain, or create an ephemeral one.
   *
   * @param gone - aborted once nobody waits any more: an ephemeral fork is then not created, or ended
   */
  open(chain: string, kind: ForkKind, gone: AbortSignal): Promise<ForkRecord>;
  list(): Promise<readonly ForkRecord[]>;
  /**
   * Find a fork to work with.
   *
   * @throws {NotFoundError} there is no such fork (any more)
   */
  require(id: string): Promise<Fork>;
  /** End a fork; one that is gone is no error. */
  end(id: string): Promise<void>;
  /** Show a fork under the id that callers see. */
  show(fork: ForkRecord): ForkRecord;
}

/**
 * Create the desk of an instance.
 *
 * @param takesPayments - whether payments are settled on the persistent forks
 */
export function createForkDesk(
  provider: ForkProvider,
  chains: readonly string[],
  ids: ForkIds,
  takesPayments = false,
): ForkDesk {
  const show = ({ id, kind, chain, chainId, status, forkBlock, createdAt }: ForkRecord): ForkRecord => ({
    id: ids.toPublic(id),
    kind,
    chain,
    chainId,
    status,
    forkBlock,
    createdAt,
  });
  return {
    show,
    async open(chain, kind, gone) {
      if (!chains.includes(chain)) {
        throw new ChainNotActiveError({
          detail: `${chain} is not a chain of this service.`,
          details: { supportedChains: [...chains] },
        });
      }
      if (kind === 'persistent') return show(await provider.persistent(chain));
      const fork = await provider.create(chain, { signal: gone });
      // Nobody would ever learn its id.
      if (gone.aborted) await provider.destroy(fork.id);
      return show(fork);
    },
    list: async () => (await provider.list()).map(show),
    async require(id) {
      const fork = await provider.find(ids.toOwn(id));
      if (fork !== undefined) return takesPayments ? keepClock(fork) : fork;
      throw new NotFoundError({
        detail: 'There is no such fork, or it has ended.',
        nextAction: 'List the forks, or create one.',
        details: { forkId: id },
      });
    },
    end: (id) => provider.destroy(ids.toOwn(id)),
  };
}
