import type { ForkHealth, ForkProvider } from '@yield-vault/forks';
import { withTimeout } from '@yield-vault/server';

// A liveness probe needs a response even while the forks hang.
const deadlineMs = 2_000;

/** Read the health of the forks; `unavailable` when that takes too long. */
export const readHealth = (provider: Pick<ForkProvider, 'health'>): Promise<ForkHealth> =>
  withTimeout<ForkHealth>(provider.health(), deadlineMs, {
    status: 'unavailable',
    activeForks: 0,
    maxForks: null,
    version: '',
  });
