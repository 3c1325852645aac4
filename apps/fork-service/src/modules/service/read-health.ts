import { setTimeout as wait } from 'node:timers/promises';
import type { ForkHealth, ForkProvider } from '@yield-vault/forks';

// A liveness probe needs a response even while the forks hang.
const deadlineMs = 2_000;

/** Read the health of the forks; `unavailable` when that takes too long. */
export async function readHealth(provider: Pick<ForkProvider, 'health'>): Promise<ForkHealth> {
  const answered = new AbortController();
  const late = wait<ForkHealth>(
    deadlineMs,
    { status: 'unavailable', activeForks: 0, maxForks: null, version: '' },
    { signal: answered.signal },
  ).catch(() => new Promise<never>(() => undefined));
  try {
    return await Promise.race([provider.health(), late]);
  } finally {
    answered.abort();
  }
}
