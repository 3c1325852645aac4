import type { EphemeralForks, ForkProvider } from '@yield-vault/forks';
import type { ActiveFork } from '../ports.js';
import { within } from '../within.js';

// Metrics are scraped while the back end hangs, too.
const patienceMs = 2_000;

/** List the active forks, as far as what makes them answers. */
export async function listForks(
  provider: Pick<ForkProvider, 'list'> | undefined,
  ephemeral: Pick<EphemeralForks, 'list'> | undefined,
): Promise<readonly ActiveFork[]> {
  const kept = provider ? await within(provider.list(), patienceMs, []) : [];
  const records = new Map([...kept, ...(ephemeral?.list() ?? [])].map((record) => [record.id, record]));
  return [...records.values()].filter(({ status }) => status === 'starting' || status === 'running');
}
