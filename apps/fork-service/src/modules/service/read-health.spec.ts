import type { ForkHealth } from '@yield-vault/forks';
import { readHealth } from './read-health.js';

const health: ForkHealth = { status: 'healthy', activeForks: 1, maxForks: 2, version: 'v' };

describe('readHealth', () => {
  it('default: the health of the forks', async () => {
    expect(await readHealth({ health: () => Promise.resolve(health) })).toEqual(health);
  });

  it('behavior: unavailable when they do not respond', async () => {
    const never = new Promise<never>(() => undefined);
    expect(await readHealth({ health: () => never })).toMatchObject({
      status: 'unavailable',
      activeForks: 0,
    });
  });
});
