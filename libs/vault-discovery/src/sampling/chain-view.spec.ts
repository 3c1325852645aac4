import { createMemorySnapshotStore } from '../../test/memory-stores.js';
import { useFakeChain } from '../../test/start-fake-chain.js';
import { readHeader } from '../chain/block-finder.js';
import { viewChain } from './chain-view.js';

/** A hundred blocks. */
const timesEvery = (seconds: number) =>
  Array.from({ length: 100 }, (_, index) => 1_790_000_000 + seconds * index);
const chain = useFakeChain(() => timesEvery(12));
let store: ReturnType<typeof createMemorySnapshotStore>;
let now: number;

beforeEach(() => {
  store = createMemorySnapshotStore();
  now = chain.times.at(-1)! * 1_000;
});

const look = () =>
  viewChain({ chain: { chainId: 8453, key: 'base', rpc: chain.rpc }, store, now: () => now });

describe('viewChain', () => {
  it('default: the head, and the block that the node calls final, which is remembered', async () => {
    chain.finalized = 40;
    const view = await look();
    const final = await readHeader(chain.rpc, 40);
    expect(view).toEqual({ head: await readHeader(chain.rpc), final, finalTime: final.t });
    expect(await store.anchor(8453)).toEqual({ block: 40n, hash: (await readHeader(chain.rpc, 40)).hash });
  });

  it('behavior: where the node does not know the tag, two minutes are deep enough', async () => {
    expect(await look()).toMatchObject({ head: { number: 99 }, final: { number: 88 } });
  });

  it('behavior: where the tag lags by more than an hour, two minutes are deep enough', async () => {
    chain.times = timesEvery(120);
    now = chain.times.at(-1)! * 1_000;
    chain.finalized = 0;
    expect(await look()).toMatchObject({
      head: { number: 99 },
      final: { number: 97 },
      finalTime: now / 1_000 - 120,
    });
  });

  it('behavior: the block that is remembered never goes back', async () => {
    chain.finalized = 40;
    await look();
    chain.finalized = 30;
    expect(await look()).toMatchObject({ final: { number: 30 } });
    expect(await store.anchor(8453)).toMatchObject({ block: 40n });
  });

  it('behavior: another chain in its place is noticed, shorter or longer', async () => {
    chain.finalized = 40;
    await look();
    chain.branch = 'second';
    expect(await look()).toBe('replaced');
    chain.times = chain.times.slice(-20);
    chain.finalized = 10;
    expect(await look()).toBe('replaced');
  });

  it('behavior: a reorganisation above the final block is none of another chain', async () => {
    chain.finalized = 40;
    await look();
    chain.branchedAt = 41;
    chain.branch = 'second';
    expect(await look()).toMatchObject({ final: { number: 40 } });
  });

  it.each(['with an old head', 'with a new head'])(
    'error: a node %s that lacks the remembered block is not taken for another chain',
    async (head) => {
      chain.finalized = 40;
      await look();
      if (head === 'with a new head') chain.missing.add(40);
      else [chain.times, chain.finalized] = [chain.times.slice(0, 20), 10];
      await expect(look()).rejects.toThrow('behind');
      expect(await store.anchor(8453)).toMatchObject({ block: 40n });
    },
  );
});
