import { numberToHex } from 'viem';
import { buildSnapshot, buildTrackedVault } from '../../test/build-snapshots.js';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '../../test/memory-stores.js';
import { startFakeChain, type FakeChain } from '../../test/start-fake-chain.js';
import { readHeader } from '../chain/block-finder.js';
import { planSample, type TrackedVault } from '../chain/sample-block.js';
import { hourSeconds } from '../metrics/statistics.js';
import { snapshotOrigins } from '../ports.js';
import { createHourFiller, type HourFillerDeps } from './create-hour-filler.js';
import type { PollingHours } from './polling.js';

const genesis = 1_790_000_000 - (1_790_000_000 % (168 * hourSeconds));
/** Blocks at minute 15 and 45 of every hour. */
const timesOf = (hours: number) =>
  Array.from({ length: 2 * hours }, (_, index) => genesis + 900 + index * 1_800);
const blockOf = (hour: number) => 2 * hour + 1;
const signal = new AbortController().signal;
const always = () => true;

let chain: FakeChain;
let store: MemorySnapshotStore;
let messages: { fields: object; message: string }[];

beforeEach(async () => {
  chain = await startFakeChain(timesOf(200));
  store = createMemorySnapshotStore();
  messages = [];
});
afterEach(() => chain.stop());

const vaults = [1, 2, 3].map((id) => buildTrackedVault({ address: numberToHex(id, { size: 20 }) }, id));

function create(overrides: Partial<HourFillerDeps> = {}) {
  const record = (fields: object, message: string) => void messages.push({ fields, message });
  return createHourFiller({
    ...{ rpc: chain.rpc, chain: 'base', store, backfillHours: 100 },
    planOf: (list) =>
      planSample(
        list,
        { reads: () => [], prices: () => Promise.resolve(new Map()) },
        { batchSize: 200, readGasLimit: 1e7 },
      ),
    pollingOf: () => 1,
    sampledSince: () => [],
    onSaved: () => undefined,
    logger: { info: record, warn: record },
    ...overrides,
  });
}

/** Blocks at and below `finalized` are final. */
async function view(finalized = chain.times.length - 1) {
  return { head: await readHeader(chain.rpc), final: await readHeader(chain.rpc, finalized) };
}

async function fill(filler = create(), list: readonly TrackedVault[] = vaults, finalized?: number) {
  await filler.adopt(list);
  const now = await view(finalized);
  await filler.catchUp(list, now, signal);
  return filler.goBack(list, now, always, signal);
}

/** Hours since the first one that are stored of a vault, with the block that each was read at. */
const stored = (vault: number) =>
  [...store.rows.values()]
    .filter((row) => row.vault === vault)
    .sort((a, b) => a.t - b.t)
    .map(({ t, block }) => [Math.floor((t - genesis) / hourSeconds), Number(block)]);
const hoursOf = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => [from + index, blockOf(from + index)]);
const hourAt = (hour: number) => genesis + hour * hourSeconds;

describe('createHourFiller', () => {
  it('default: reads every hour once, at its last block', async () => {
    expect(await fill()).toBe(true);
    // The hour of the newest block is not over.
    for (const { id } of vaults) expect(stored(id)).toEqual(hoursOf(99, 199));
    expect([...store.writes.values()].every((count) => count === 1)).toBe(true);
    expect(store.covered.get(1)).toEqual({ vault: 1, from: hourAt(99), until: hourAt(199) });
  });

  it('behavior: the next time only what ended since is read', async () => {
    const filler = create();
    await fill(filler);
    chain.times = timesOf(203);
    const before = chain.multicalls.length;
    const now = await view();
    await filler.catchUp(vaults, now, signal);
    expect(await filler.goBack(vaults, now, always, signal)).toBe(true);
    expect(chain.multicalls.slice(before).map(({ block }) => block)).toEqual([199, 200, 201].map(blockOf));
    expect(stored(1)).toEqual(hoursOf(99, 202));
  });

  it('behavior: another process goes on from what is stored', async () => {
    await fill();
    const before = chain.multicalls.length;
    await fill();
    expect(chain.multicalls).toHaveLength(before);
  });

  it('behavior: reads the past newest first, saves as it goes, and stops when its time is over', async () => {
    const filler = create();
    await filler.adopt(vaults);
    const now = await view();
    await filler.catchUp(vaults, now, signal);
    let parts = 0;
    expect(await filler.goBack(vaults, now, () => parts++ < 1, signal)).toBe(false);
    expect(stored(1)).toEqual(hoursOf(151, 199));
    expect(store.covered.get(1)).toEqual({ vault: 1, from: hourAt(151), until: hourAt(199) });
    expect(await fill()).toBe(true);
    expect([...store.writes.values()].every((count) => count === 1)).toBe(true);
    expect(stored(1)).toEqual(hoursOf(99, 199));
  });

  it('behavior: tells how far it is, in percent and seconds', async () => {
    await fill();
    const told = messages.map(({ fields }) => fields as { percent: number; secondsLeft: number });
    expect(told[0]).toMatchObject({ chain: 'base', percent: 48 });
    expect(told[0]!.secondsLeft).toBeGreaterThan(0);
    expect(told.at(-1)).toMatchObject({ percent: 100, left: 0, secondsLeft: 0 });
  });

  it('behavior: a vault that joins later is read as far back as the others, and they are not read again', async () => {
    const filler = create();
    await fill(filler, vaults.slice(0, 2));
    chain.times = timesOf(210);
    expect(await fill(filler, vaults)).toBe(true);
    expect(stored(3)).toEqual(hoursOf(109, 209));
    expect(stored(1)).toEqual(hoursOf(99, 209));
    expect([...store.writes.values()].every((count) => count === 1)).toBe(true);
  });

  it.each([
    [24, [119, 143, 167, 191]],
    [168, [167]],
  ] as const)(
    'behavior: a vault sampled every %s hours is read at the last hour of each',
    async (polling, hours) => {
      const pollingOf = ({ id }: TrackedVault): PollingHours => (id === 1 ? polling : 1);
      expect(await fill(create({ pollingOf }))).toBe(true);
      expect(stored(1).map(([hour]) => hour)).toEqual(hours);
      expect(stored(2)).toEqual(hoursOf(99, 199));
      // Every hour that was due was read.
      expect(store.covered.get(1)).toEqual({ vault: 1, from: hourAt(99), until: hourAt(199) });
    },
  );

  it.each([24, 168] as const)(
    'behavior: of a vault sampled every %s hours, an hour in which it was sampled at the head is settled too',
    async (polling) => {
      const t = hourAt(195) + 3_000;
      await store.save([buildSnapshot({ vault: 1, t })], []);
      const filler = create({
        pollingOf: () => polling,
        sampledSince: ({ id }, since) => (id === 1 && t >= since ? [t] : []),
      });
      await fill(filler, vaults, blockOf(190));
      expect(stored(1)).toContainEqual([195, 1]);
      await refill(filler, blockOf(197));
      expect(stored(1)).toContainEqual([195, blockOf(195)]);
      expect(stored(2).map(([hour]) => hour)).not.toContain(195);
      expect(store.covered.get(1)).toMatchObject({ until: hourAt(197) });
    },
  );

  it('behavior: an hour without a block leaves a gap and is not asked for again', async () => {
    chain.times = timesOf(200).filter((t) => Math.floor((t - genesis) / hourSeconds) !== 150);
    await fill();
    expect(stored(1).map(([hour]) => hour)).toEqual(
      hoursOf(99, 199).flatMap(([hour]) => (hour === 150 ? [] : [hour])),
    );
    expect(store.covered.get(1)).toMatchObject({ from: hourAt(99) });
  });

  it('behavior: hours that are not final are read, but count only once they are', async () => {
    const filler = create();
    await fill(filler, vaults, blockOf(189));
    expect(stored(1)).toEqual(hoursOf(89, 199));
    expect(store.covered.get(1)).toMatchObject({ until: hourAt(189) });
    const before = chain.multicalls.length;
    await refill(filler, blockOf(195));
    // The block is the same still: it need not be read again.
    expect(chain.multicalls).toHaveLength(before);
    expect(store.covered.get(1)).toMatchObject({ until: hourAt(195) });
    // Another process does not know of hours that do not count yet.
    await fill(create(), vaults, blockOf(195));
    expect(chain.multicalls).toHaveLength(before + 4);
  });

  it('behavior: a node that calls its first block final for ever is read as far back as any other', async () => {
    await fill(create(), vaults, 0);
    expect(stored(1)).toEqual(hoursOf(99, 199));
    // None of it is final.
    expect(store.covered.get(1)).toMatchObject({ until: hourAt(0) });
  });

  it('behavior: a reorganisation of hours that are not final reads them anew', async () => {
    const filler = create();
    await fill(filler, vaults, blockOf(189));
    chain.branchedAt = blockOf(192);
    chain.branch = 'second';
    chain.answer = () => 7n;
    await refill(filler, blockOf(190));
    const values = [...store.rows.values()].filter(({ vault }) => vault === 1);
    const valueOf = (hour: number) =>
      values.find(({ t }) => Math.floor((t - genesis) / hourSeconds) === hour)!.totalAssets;
    expect(valueOf(188)).toBe(1_000_000n + BigInt(blockOf(188)));
    for (const hour of [192, 195, 198]) expect(valueOf(hour)).toBe(7n);
    expect(messages.some(({ message }) => message.includes('reorganised'))).toBe(true);
  });

  it('behavior: an hour whose last block became an earlier one is settled with that, not with what stood', async () => {
    const filler = create();
    await fill(filler, vaults, blockOf(189));
    // The second block of hour 195 moves into the next one.
    chain.branchedAt = blockOf(195);
    chain.branch = 'second';
    chain.times[blockOf(195)] = hourAt(196) + 60;
    await refill(filler, blockOf(190));
    await refill(filler, blockOf(197));
    expect(stored(1).find(([hour]) => hour === 195)).toEqual([195, blockOf(195) - 1]);
    expect(store.covered.get(1)).toMatchObject({ until: hourAt(197) });
  });

  it('behavior: hours of a branch that is gone are read anew, though later ones were read on the new branch', async () => {
    chain.times = timesOf(195);
    let onRead = () => undefined as void;
    const filler = create({
      pollingOf: () => {
        onRead();
        return 1;
      },
    });
    await fill(filler, vaults, blockOf(189));
    chain.times = timesOf(198);
    // After the look at the blocks that were read before, and before the next ones are read.
    onRead = () => {
      [chain.branch, chain.branchedAt] = ['second', blockOf(192)];
      chain.answer = () => 7n;
    };
    await refill(filler, blockOf(190));
    onRead = () => undefined;
    await refill(filler, blockOf(196));
    const valueAt = (hour: number) => store.rows.get(`1 ${hourAt(hour)}`)?.totalAssets;
    expect(valueAt(189)).toBe(1_000_000n + BigInt(blockOf(189)));
    for (const hour of [192, 193, 194, 196]) expect(valueAt(hour)).toBe(7n);
  });

  it('behavior: where no node has the state, history begins later, and no hour is written as 0', async () => {
    chain.stateSince = blockOf(160);
    expect(await fill()).toBe(true);
    expect(stored(1)).toEqual(hoursOf(160, 199));
    expect([...store.rows.values()].every(({ totalAssets }) => totalAssets > 0n)).toBe(true);
    // Nobody read the older hours: a node that has them may be added.
    expect(store.covered.get(1)).toMatchObject({ from: hourAt(160) });
    chain.stateSince = 0;
    expect(await fill()).toBe(true);
    expect(stored(1)).toEqual(hoursOf(99, 199));
  });

  it('behavior: an external chart stands in for the past that no node has', async () => {
    chain.stateSince = blockOf(160);
    const asked: number[] = [];
    const chartOf: HourFillerDeps['chartOf'] = ({ id }, since) => {
      asked.push(since);
      const t = hourAt(140) + 60;
      return Promise.resolve(
        id === 3 ? [] : [buildSnapshot({ vault: id, t, origin: snapshotOrigins.externalChart })],
      );
    };
    expect(await fill(create({ chartOf }))).toBe(true);
    expect(asked).toEqual([hourAt(99), hourAt(99), hourAt(99)]);
    expect(stored(1).map(([hour]) => hour)).toEqual([140, ...hoursOf(160, 199).map(([hour]) => hour)]);
    expect(store.covered.get(1)).toMatchObject({ from: hourAt(99) });
    expect(store.covered.get(3)).toMatchObject({ from: hourAt(160) });
    // What the chart gave is not asked for again, not even by another process.
    await fill(create({ chartOf }), vaults.slice(0, 2));
    expect(asked).toHaveLength(3);
  });

  it('behavior: a chart that does not answer ends nothing, and is not asked at once again', async () => {
    chain.stateSince = blockOf(160);
    let asked = 0;
    const filler = create({
      chartOf: () => {
        asked += 1;
        return Promise.reject(new Error('down'));
      },
    });
    expect(await fill(filler)).toBe(true);
    await refill(filler);
    expect(asked).toBe(3);
  });

  it('behavior: hours that were missed and whose state is gone leave a gap', async () => {
    await fill();
    chain.times = timesOf(260);
    chain.stateSince = blockOf(240);
    expect(await fill()).toBe(true);
    expect(stored(1)).toEqual([...hoursOf(99, 199), ...hoursOf(240, 259)]);
    expect(store.covered.get(1)).toMatchObject({ until: hourAt(259) });
  });

  it('error: an outage is thrown, what was saved stays, and the rest is read later', async () => {
    const filler = create();
    await filler.adopt(vaults);
    const now = await view();
    await filler.catchUp(vaults, now, signal);
    let parts = 0;
    const hasTime = () => {
      if (parts++ === 1) chain.node.setFault('http-500');
      return true;
    };
    const failed: unknown = await filler
      .goBack(vaults, now, hasTime, signal)
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    expect(stored(1)).toEqual(hoursOf(151, 199));
    chain.node.setFault(undefined);
    expect(await refill(filler)).toBe(true);
    expect(stored(1)).toEqual(hoursOf(99, 199));
  });

  it('error: aborting ends it between two hours', async () => {
    const stopping = new AbortController();
    const filler = create({ onSaved: () => stopping.abort(new Error('stop')) });
    await filler.adopt(vaults);
    const now = await view();
    await expect(
      (async () => {
        await filler.catchUp(vaults, now, stopping.signal);
        await filler.goBack(vaults, now, always, stopping.signal);
      })(),
    ).rejects.toThrow('stop');
  });

  /** As the next refresh does. */
  async function refill(filler: ReturnType<typeof create>, finalized?: number) {
    const now = await view(finalized);
    await filler.catchUp(vaults, now, signal);
    return filler.goBack(vaults, now, always, signal);
  }
});
