import type { ForkRecord } from '@yield-vault/forks';
import { listForks } from './list-forks.js';

const record = (id: string, overrides: Partial<ForkRecord> = {}): ForkRecord => ({
  id,
  kind: 'persistent',
  chain: 'base',
  chainId: 8453,
  status: 'running',
  forkBlock: 1n,
  createdAt: 0,
  ...overrides,
});
const ids = (records: readonly unknown[]) => records.map((each) => (each as ForkRecord).id);

describe('listForks', () => {
  it('default: those of the provider and those of one use, each once', async () => {
    const shared = record('managed', { kind: 'ephemeral' });
    const provider = { list: () => Promise.resolve([record('kept'), shared]) };
    const ephemeral = { list: () => [shared, record('used', { kind: 'ephemeral' })] };
    expect(ids(await listForks(provider, ephemeral))).toEqual(['kept', 'managed', 'used']);
  });

  it('behavior: those that ended are left out', async () => {
    const records = [record('a', { status: 'stopped' }), record('b', { status: 'failed' })];
    const starting = record('c', { status: 'starting' });
    const provider = { list: () => Promise.resolve([...records, starting]) };
    expect(ids(await listForks(provider, undefined))).toEqual(['c']);
  });

  it('behavior: a provider that is down hides its own forks only', async () => {
    const provider = { list: () => Promise.reject(new Error('down')) };
    const ephemeral = { list: () => [record('used')] };
    expect(ids(await listForks(provider, ephemeral))).toEqual(['used']);
    expect(await listForks(undefined, undefined)).toEqual([]);
  });
});
