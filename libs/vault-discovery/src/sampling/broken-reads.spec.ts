import { numberToHex } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createMemoryBrokenReadStore } from '../../test/memory-stores.js';
import { startFakeChain, type FakeChain } from '../../test/start-fake-chain.js';
import { readHeader } from '../chain/block-finder.js';
import { planSample, sampleBlock } from '../chain/sample-block.js';
import { createBrokenReads } from './broken-reads.js';

const hour = 3_600;
const genesis = 1_790_000_000;
const vaults = [1, 2, 3].map((id) => buildTrackedVault({ address: numberToHex(id, { size: 20 }) }, id));
const second = vaults[1]!.entry.address;

let chain: FakeChain;
let store: ReturnType<typeof createMemoryBrokenReadStore>;

/** Block n is n hours after the first. */
beforeEach(async () => {
  chain = await startFakeChain([genesis]);
  store = createMemoryBrokenReadStore();
});
afterEach(() => chain.stop());

const create = () =>
  createBrokenReads({
    ...{ rpc: chain.rpc, chain: 'base', store, readGasLimit: 10_000_000 },
    logger: { info: () => undefined, warn: () => undefined },
  });

function breakIt(): () => void {
  const { answer } = chain;
  chain.answer = (target, functionName, block) =>
    target === second && functionName === 'totalAssets' ? undefined : answer(target, functionName, block);
  return () => {
    chain.answer = answer;
  };
}

async function sampleAll(broken: ReturnType<typeof create>) {
  const head = await readHeader(chain.rpc);
  const working = await broken.working(vaults, head);
  const settings = { batchSize: 200, readGasLimit: 10_000_000 };
  const plan = planSample(working, { reads: () => [], prices: () => Promise.resolve(new Map()) }, settings);
  await broken.note(working, await sampleBlock(chain.rpc, plan, head));
  return working.map(({ id }) => id);
}
const passHours = (count: number) => {
  chain.times = [
    ...chain.times,
    ...Array.from({ length: count }, (_, i) => chain.times.at(-1)! + (i + 1) * hour),
  ];
};

describe('createBrokenReads', () => {
  it('default: a read that does not work leaves its vault out, from then on', async () => {
    breakIt();
    const broken = create();
    expect(await sampleAll(broken)).toEqual([1, 2, 3]);
    expect(await sampleAll(broken)).toEqual([1, 3]);
    expect([...store.rows.values()]).toEqual([
      { vault: 2, functionName: 'totalAssets', sinceBlock: 0n, retryAt: genesis + hour },
    ]);
  });

  it('behavior: tried again after as long as it has been broken, an hour to a day, on its own', async () => {
    breakIt();
    const broken = create();
    await sampleAll(broken);
    const tries: number[] = [];
    for (let passed = 1; passed <= 80; passed += 1) {
      passHours(1);
      const before = chain.multicalls.length;
      await sampleAll(broken);
      if (chain.multicalls.slice(before).some(({ reads }) => reads === 1)) tries.push(passed);
    }
    expect(tries).toEqual([1, 2, 4, 8, 16, 32, 56, 80]);
    expect([...store.rows.values()]).toMatchObject([{ sinceBlock: 0n }]);
  });

  it('behavior: what works again is sampled at once', async () => {
    const mend = breakIt();
    const broken = create();
    await sampleAll(broken);
    mend();
    expect(await sampleAll(broken)).toEqual([1, 3]);
    passHours(1);
    expect(await sampleAll(broken)).toEqual([1, 2, 3]);
    expect(store.rows.size).toBe(0);
  });

  it('behavior: another process knows of it', async () => {
    breakIt();
    await sampleAll(create());
    const broken = create();
    await broken.adopt(vaults);
    expect(await sampleAll(broken)).toEqual([1, 3]);
  });

  it('behavior: a read that only lacked gas in its batch is not broken', async () => {
    const broken = create();
    const head = await readHeader(chain.rpc);
    const unanswered = [{ vault: 1, functionName: 'totalAssets' as const }];
    await broken.note(vaults, { header: head, snapshots: [], prices: new Map(), unanswered, isEmpty: false });
    expect(store.rows.size).toBe(0);
  });

  it('behavior: a node that answers nothing at all breaks nobody', async () => {
    chain.answer = () => undefined;
    const broken = create();
    await sampleAll(broken);
    expect(store.rows.size).toBe(0);
    expect(await sampleAll(broken)).toEqual([1, 2, 3]);
  });
});
