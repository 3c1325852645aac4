import type { ForkHealth } from '@yield-vault/forks';
import { createHttpMetrics } from '@yield-vault/server';
import { ServiceController } from './service.controller.js';

const health: ForkHealth = { status: 'healthy', activeForks: 1, maxForks: 2, version: 'v' };
const read = (provider: { health(): Promise<ForkHealth> }) =>
  new ServiceController(provider, createHttpMetrics('fork_')).readHealth();

describe('readHealth', () => {
  it('default: the health of the forks', async () => {
    expect(await read({ health: () => Promise.resolve(health) })).toMatchObject({
      status: 'healthy',
      activeForks: 1,
      maxForks: 2,
      backend: 'v',
    });
  });

  it('behavior: unavailable when they do not respond', async () => {
    const never = new Promise<never>(() => undefined);
    expect(await read({ health: () => never })).toMatchObject({ status: 'unavailable', activeForks: 0 });
  });
});
