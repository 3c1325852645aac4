import { createMemoryFreeQuota, isAllowlisted } from './free-calls.js';

describe('createMemoryFreeQuota', () => {
  it('default: each client has its own calls', async () => {
    const quota = createMemoryFreeQuota({ calls: 2, windowSeconds: 60 });
    const taken = [];
    for (const client of ['a', 'a', 'a', 'b']) taken.push(await quota.take(client));
    expect(taken).toEqual([true, true, false, true]);
  });

  it('behavior: a new window brings new calls', async () => {
    let nowMs = 0;
    const quota = createMemoryFreeQuota({ calls: 1, windowSeconds: 60 }, () => nowMs);
    await quota.take('a');
    nowMs = 59_999;
    expect(await quota.take('a')).toBe(false);
    nowMs = 60_000;
    expect(await quota.take('a')).toBe(true);
  });

  it('behavior: no more clients are remembered than there is room for', async () => {
    const quota = createMemoryFreeQuota({ calls: 2, windowSeconds: 60, maxClients: 1 });
    const taken = [];
    for (const client of ['a', 'b', 'a', 'a']) taken.push(await quota.take(client));
    expect(taken).toEqual([true, false, true, false]);
  });
});

describe('isAllowlisted', () => {
  it.each([
    ['a key of the list', 'key-2', ['key-1', 'key-2'], true],
    ['another key', 'key-3', ['key-1', 'key-2'], false],
    ['a part of a key', 'key', ['key-1'], false],
    ['no key', undefined, ['key-1'], false],
    ['an empty list', 'key-1', [], false],
    ['an empty key', '', ['key-1'], false],
  ])('behavior: %s', (_, presented, list, expected) => {
    expect(isAllowlisted(presented, list)).toBe(expected);
  });
});
