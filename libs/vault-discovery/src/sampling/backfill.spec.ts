import { silentLogger } from '@yield-vault/protocol';
import { numberToHex } from 'viem';
import { buildSnapshot, buildTrackedVault } from '../../test/build-snapshots.js';
import { fixedPricer } from '../../test/fixed-pricer.js';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '../../test/memory-stores.js';
import { useFakeChain } from '../../test/start-fake-chain.js';
import { readHeader } from '../chain/block-finder.js';
import { planSample } from './sample-block.js';
import { hourSeconds, snapshotOrigins } from '@yield-vault/vault-metrics';
import { type BackfillDeps, createBackfill } from './backfill.js';

const genesis = 1_790_000_000 - (1_790_000_000 % (168 * hourSeconds));
/** Blocks at minute 15 and 45 of every hour. */
const timesOf = (hours: number) =>
  Array.from({ length: 2 * hours }, (_, index) => genesis + 900 + index * 1_800);
const blockOf = (hour: number) => 2 * hour + 1;
const signal = new AbortController().signal;

const chain = useFakeChain(() => timesOf(200));
let store: MemorySnapshotStore;

beforeEach(() => {
  store = createMemorySnapshotStore();
});

const vaults = [1, 2, 3].map((id) => buildTrackedVault({ address: numberToHex(id, { size: 20 }) }, id));

type Backfill = ReturnType<typeof create>;
function create(overrides: Partial<BackfillDeps> = {}) {
  return createBackfill({
    rpc: chain.rpc,
    chain: 'base',
    store,
    backfillHours: 100,
    planOf: (list) => planSample(list, fixedPricer()),
    onSaved: () => undefined,
    logger: silentLogger,
    ...overrides,
  });
}

/** Blocks at and below `finalized` are final. */
async function view(finalized = chain.times.length - 1) {
  const final = await readHeader(chain.rpc, finalized);
  return { head: await readHeader(chain.rpc), final, finalTime: final.t };
}

/** As a refresh does. */
async function refill(backfill: Backfill, list = vaults, finalized?: number, hasTime = () => true) {
  const now = await view(finalized);
  await backfill.catchUp(list, now, signal);
  return backfill.goBack(list, now, hasTime, signal);
}

async function fill(backfill = create(), list = vaults, finalized?: number) {
  await backfill.loadCoverage(list);
  return refill(backfill, list, finalized);
}

const expectWrittenOnce = () => expect([...store.writes.values()].every((count) => count === 1)).toBe(true);
/** Hours since the first one that are stored of a vault, with the block that each was read at. */
const stored = (vault: number) =>
  [...store.rows.values()]
    .filter((row) => row.vault === vault)
    .sort((a, b) => a.t - b.t)
    .map(({ t, block }) => [Math.floor((t - genesis) / hourSeconds), Number(block)]);
const hoursOf = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => [from + index, blockOf(from + index)]);
const hourAt = (hour: number) => genesis + hour * hourSeconds;

describe('createBackfill', () => {
  it('default: reads every hour once, at its last block', async () => {
    expect(await fill()).toBe(true);
    // The hour of the newest block is not over.
    for (const { id } of vaults) expect(stored(id)).toEqual(hoursOf(99, 199));
    expectWrittenOnce();
    expect(store.covered.get(1)).toEqual({ vault: 1, from: hourAt(99), until: hourAt(199) });
    // Another process continues from the store.
    const before = chain.multicalls.length;
    await fill();
    expect(chain.multicalls).toHaveLength(before);
  });

  it('behavior: the next run reads only hours that ended since', async () => {
    const backfill = create();
    await fill(backfill);
    chain.times = timesOf(203);
    const before = chain.multicalls.length;
    expect(await refill(backfill)).toBe(true);
    expect(chain.multicalls.slice(before).map(({ block }) => block)).toEqual([199, 200, 201].map(blockOf));
    expect(stored(1)).toEqual(hoursOf(99, 202));
  });

  it('behavior: reads the past newest first, saves as it goes, and stops when its time is over', async () => {
    const backfill = create();
    await backfill.loadCoverage(vaults);
    let parts = 0;
    expect(await refill(backfill, vaults, undefined, () => parts++ < 1)).toBe(false);
    expect(stored(1)).toEqual(hoursOf(151, 199));
    expect(store.covered.get(1)).toEqual({ vault: 1, from: hourAt(151), until: hourAt(199) });
    expect(await fill()).toBe(true);
    expectWrittenOnce();
    expect(stored(1)).toEqual(hoursOf(99, 199));
  });

  it('behavior: a vault that joins later is read as far back as the others, and they are not read again', async () => {
    const backfill = create();
    await fill(backfill, vaults.slice(0, 2));
    chain.times = timesOf(210);
    expect(await fill(backfill, vaults)).toBe(true);
    expect(stored(3)).toEqual(hoursOf(109, 209));
    expect(stored(1)).toEqual(hoursOf(99, 209));
    expectWrittenOnce();
  });

  it('behavior: an hour without a block leaves a gap and is not requested again', async () => {
    chain.times = timesOf(200).filter((t) => Math.floor((t - genesis) / hourSeconds) !== 150);
    await fill();
    expect(stored(1).map(([hour]) => hour)).toEqual(
      hoursOf(99, 199).flatMap(([hour]) => (hour === 150 ? [] : [hour])),
    );
    expect(store.covered.get(1)).toMatchObject({ from: hourAt(99) });
  });

  it('behavior: hours that are not final are left for later', async () => {
    const backfill = create();
    await fill(backfill, vaults, blockOf(189));
    expect(stored(1)).toEqual(hoursOf(89, 189));
    expect(store.covered.get(1)).toMatchObject({ until: hourAt(189) });
    await refill(backfill, vaults, blockOf(195));
    expect(stored(1)).toEqual(hoursOf(89, 195));
    expect(store.covered.get(1)).toMatchObject({ until: hourAt(195) });
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
    const chartOf: BackfillDeps['chartOf'] = ({ id }, since) => {
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
    // Hours from the chart are not requested again, also by another process.
    await fill(create({ chartOf }), vaults.slice(0, 2));
    expect(asked).toHaveLength(3);
  });

  it('behavior: a chart that does not respond ends nothing, and is retried later', async () => {
    chain.stateSince = blockOf(160);
    let asked = 0;
    const backfill = create({
      chartOf: () => {
        asked += 1;
        return Promise.reject(new Error('down'));
      },
    });
    expect(await fill(backfill)).toBe(true);
    await refill(backfill);
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

  it('error: an outage is thrown, saved hours stay, and the rest is read later', async () => {
    const backfill = create();
    await backfill.loadCoverage(vaults);
    let parts = 0;
    const hasTime = () => {
      if (parts++ === 1) chain.node.setFault('http-500');
      return true;
    };
    await expect(refill(backfill, vaults, undefined, hasTime)).rejects.toBeInstanceOf(Error);
    expect(stored(1)).toEqual(hoursOf(151, 199));
    chain.node.setFault(undefined);
    expect(await refill(backfill)).toBe(true);
    expect(stored(1)).toEqual(hoursOf(99, 199));
  });
});
