import type { EphemeralForks, ForkProvider } from '../ports.js';
import type { ForkRecord } from '../types.js';
import { patienceMs, settleWithin } from './settle-within.js';

/** List the forks that the provider keeps, those that failed included; none while it does not answer. */
export async function listKeptForks(provider: ForkProvider | undefined): Promise<readonly ForkRecord[]> {
  return provider ? settleWithin(provider.list(), patienceMs, []) : [];
}

/** Pick the forks that run or are being started, of the provider and of one use. */
export function pickActiveForks(
  kept: readonly ForkRecord[],
  ephemeral: EphemeralForks | undefined,
): readonly ForkRecord[] {
  // An ephemeral fork of a managed back end is listed by both.
  const records = new Map([...kept, ...(ephemeral?.list() ?? [])].map((record) => [record.id, record]));
  return [...records.values()].filter(({ status }) => status === 'starting' || status === 'running');
}
