import { testAccount } from '@yield-vault/testing';
import type { Hex } from 'viem';
import { createFeed } from './create-feed.js';
import type { News, SeenOperation } from './news.js';

const sender = testAccount('owner').address;
const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const awaited = (number: number) => ({
  chainId: 1,
  sender,
  nonce: BigInt(number),
  userOpHash: hashOf(number),
  after: 0n,
});

function setUp({ nonceCheckMs }: { readonly nonceCheckMs?: number } = {}) {
  const queries = { news: 0, uses: 0, nonces: 0 };
  /** The next nonce of the wallet on chain. */
  const chain = { nonce: 0n };
  const stored: SeenOperation[] = [];
  let next: Omit<News, 'lastId'> = { followed: { first: 1n, newest: 5n }, hasRange: false, operations: [] };
  const reader: Parameters<typeof createFeed>[1] = {
    news: () => {
      queries.news++;
      const news = { ...next, lastId: 1n };
      next = { ...next, hasRange: false, operations: [] };
      return Promise.resolve(news);
    },
    uses: (_, wanted) => {
      queries.uses++;
      const nonces = new Set(wanted.map(({ nonce }) => nonce));
      return Promise.resolve(stored.filter(({ nonce }) => nonces.has(nonce)));
    },
  };
  const readNonces = (wanted: readonly unknown[]) => {
    queries.nonces++;
    return Promise.resolve(wanted.map(() => chain.nonce));
  };
  const feed = createFeed(1, reader, readNonces, { nonceCheckMs });
  /** A block is stored. */
  const store = (news: Partial<Omit<News, 'lastId'>>) => {
    next = { ...next, ...news };
    stored.push(...(news.operations ?? []));
    feed.wake();
  };
  return { feed, store, queries, chain };
}

const operation = (number: number): SeenOperation => ({
  ...awaited(number),
  txHash: hashOf(1_000_000 + number),
});

describe('createFeed', () => {
  it('behavior: 5,000 calls cost as many queries as 5', async () => {
    const cost = async (count: number) => {
      const { feed, store, queries } = setUp();
      const waits = Array.from({ length: count }, (_, index) =>
        feed.waitForOperation(awaited(index), 10_000),
      );
      setTimeout(
        () => store({ operations: Array.from({ length: count }, (_, index) => operation(index)) }),
        500,
      );
      for (const [index, wait] of waits.entries())
        expect(await wait).toEqual({ kind: 'included', txHash: hashOf(1_000_000 + index) });
      return queries;
    };
    const [few, many] = [await cost(5), await cost(5_000)];
    expect(many.news).toBeLessThanOrEqual(few.news + 2);
    expect(many.uses).toBe(few.uses);
  });

  it('behavior: asks nothing while nobody waits', async () => {
    const { feed, queries } = setUp();
    await expect(feed.waitForOperation(awaited(1), 50)).resolves.toEqual({ kind: 'unseen' });
    const { news } = queries;
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(queries.news - news).toBeLessThanOrEqual(1);
  });

  it('behavior: a block without the operation says nothing; a range of blocks, or another use of the nonce, is unclear', async () => {
    const { feed, store } = setUp();
    const wait = feed.waitForOperation(awaited(1), 400);
    setTimeout(() => store({ followed: { first: 1n, newest: 6n } }), 50);
    await expect(wait).resolves.toEqual({ kind: 'unseen' });
    const ranged = feed.waitForOperation(awaited(1), 5_000);
    setTimeout(() => store({ followed: { first: 1n, newest: 900n }, hasRange: true }), 50);
    await expect(ranged).resolves.toEqual({ kind: 'unclear' });
    const used = feed.waitForOperation(awaited(2), 5_000);
    setTimeout(() => store({ operations: [{ ...operation(2), userOpHash: hashOf(77) }] }), 50);
    await expect(used).resolves.toEqual({ kind: 'unclear' });
  });

  it('attack: a nonce that is used without an event ends the wait; a request reads a thousand nonces', async () => {
    const { feed, queries, chain } = setUp({ nonceCheckMs: 100 });
    const waits = Array.from({ length: 2_500 }, () => feed.waitForOperation(awaited(1), 5_000));
    setTimeout(() => (chain.nonce = 2n), 300);
    for (const wait of waits) await expect(wait).resolves.toEqual({ kind: 'unclear' });
    expect(queries.nonces).toBeLessThan(10);
  });

  it('attack: a follower that begins after the send may have missed the operation', async () => {
    const { feed, store } = setUp();
    store({ followed: { first: 6n, newest: 5n } });
    await expect(feed.waitForOperation({ ...awaited(1), after: 4n }, 5_000)).resolves.toEqual({
      kind: 'unclear',
    });
    await expect(feed.waitForOperation({ ...awaited(1), after: 5n }, 50)).resolves.toEqual({
      kind: 'unseen',
    });
  });

  it('behavior: reach ends with its block, or in time', async () => {
    const { feed, store } = setUp();
    expect(await feed.reach(5n, 1_000)).toBe(true);
    const wait = feed.reach(6n, 5_000);
    setTimeout(() => store({ followed: { first: 1n, newest: 6n } }), 50);
    expect(await wait).toBe(true);
    expect(await feed.reach(7n, 100)).toBe(false);
  });

  it('behavior: an aborted call ends at once', async () => {
    const { feed } = setUp();
    await expect(feed.waitForOperation(awaited(1), 5_000, AbortSignal.abort())).resolves.toEqual({
      kind: 'unseen',
    });
    const leaving = new AbortController();
    const wait = feed.reach(9n, 5_000, leaving.signal);
    leaving.abort();
    expect(await wait).toBe(false);
  });

  it('error: a database that fails keeps the calls waiting, and they go on', async () => {
    let failures = 2;
    const reader = {
      news: () =>
        failures-- > 0
          ? Promise.reject(new Error('down'))
          : Promise.resolve({
              followed: { first: 1n, newest: 5n },
              lastId: 1n,
              hasRange: false,
              operations: [],
            }),
      uses: () => Promise.resolve([operation(1)]),
    };
    const feed = createFeed(1, reader, () => Promise.resolve([]));
    await expect(feed.waitForOperation(awaited(1), 5_000)).resolves.toMatchObject({ kind: 'included' });
  });
});
