import { createMemoryFreeQuota } from './memory-free-quota.js';

describe('createMemoryFreeQuota', () => {
  it('default: each client has its own calls', async () => {
    const quota = createMemoryFreeQuota({ calls: 2, windowSeconds: 60 });
    const taken = [];
    for (const client of ['a', 'a', 'a', 'b']) taken.push(await quota.take(client));
    expect(taken).toEqual([true, true, false, true]);
  });

  it('behavior: a new window brings new calls', async () => {
    const quota = createMemoryFreeQuota({ calls: 1, windowSeconds: 0.05 });
    await quota.take('a');
    await new Promise((resolve) => setTimeout(resolve, 80));
    await expect(quota.take('a')).resolves.toBe(true);
  });
});
