import type { Fork, ForkProvider } from '@yield-vault/forks';
import { ServiceError } from '@yield-vault/protocol';
import type { ForkMetrics } from './create-metrics.js';

/** Measure the creation of forks, and count failures. */
export function measureForks(provider: ForkProvider, metrics: ForkMetrics): ForkProvider {
  const persistentIds = new Map<string, string>();

  const open = async (
    operation: string,
    chain: string,
    opening: () => Promise<Fork>,
    isNew: (fork: Fork) => boolean,
  ): Promise<Fork> => {
    const startedAt = performance.now();
    try {
      const fork = await opening();
      if (isNew(fork)) metrics.countCreation(fork, (performance.now() - startedAt) / 1000);
      return fork;
    } catch (error) {
      metrics.countFailure(operation, chain, error instanceof ServiceError ? error.code : 'INTERNAL');
      throw error;
    }
  };

  return {
    ...provider,
    persistent: (chain) =>
      open(
        'persistent',
        chain,
        () => provider.persistent(chain),
        ({ id }) => {
          const isNew = persistentIds.get(chain) !== id;
          persistentIds.set(chain, id);
          return isNew;
        },
      ),
    create: (chain, options) =>
      open(
        'create',
        chain,
        () => provider.create(chain, options),
        () => true,
      ),
  };
}
