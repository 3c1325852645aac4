import type { Fork, ForkProvider } from '@yield-vault/forks';

/** Calls of the service to its forks, newest last. */
export type Asked = readonly [method: string, ...args: unknown[]];

export interface FakeProvider extends ForkProvider {
  readonly asked: Asked[];
}

/** Build a fork that responds at once and records its calls. */
export function buildFork(overrides: Partial<Fork> = {}, asked: Asked[] = []): Fork {
  const remember =
    <T>(method: string, response: T) =>
    (...args: unknown[]): Promise<T> => {
      asked.push([method, ...args]);
      return Promise.resolve(response);
    };
  return {
    id: 'base-1',
    kind: 'persistent',
    chain: 'base',
    chainId: 8453,
    status: 'running',
    forkBlock: 7n,
    createdAt: Date.UTC(2026, 0, 1),
    rpcUrl: 'http://127.0.0.1:1',
    request: remember('request', '0x1'),
    fund: remember('fund', { ethWei: 1n, usdcBaseUnits: 2n }),
    mine: remember('mine', undefined),
    ...overrides,
  };
}

/** A provider of one fork; any part can be replaced. */
export function fakeProvider(overrides: Partial<ForkProvider> = {}, fork: Partial<Fork> = {}): FakeProvider {
  const asked: Asked[] = [];
  const only = buildFork(fork, asked);
  return {
    asked,
    persistent: (chain) => {
      asked.push(['persistent', chain]);
      return Promise.resolve(only);
    },
    create: (chain) => {
      asked.push(['create', chain]);
      return Promise.resolve({ ...only, id: 'base-2', kind: 'ephemeral' });
    },
    find: (id) => Promise.resolve(id === only.id ? only : undefined),
    list: () => Promise.resolve([only]),
    destroy: (id) => {
      asked.push(['destroy', id]);
      return Promise.resolve();
    },
    health: () =>
      Promise.resolve({ status: 'healthy', activeForks: 1, maxForks: 32, version: 'anvil/v1.7.1' }),
    close: () => {
      asked.push(['close']);
      return Promise.resolve();
    },
    ...overrides,
  };
}
