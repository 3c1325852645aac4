import { buildExit } from '../../test/build-exit.js';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { buildCapability } from '../../test/build-stored-report.js';
import { createMemoryCapabilityStore, createMemoryExitStore } from '../../test/memory-stores.js';
import type { Prober } from '../capability/create-prober.js';
import type { ExitStore } from '../ports.js';
import { createProbeRotation, type ProbeRotation } from './probe-rotation.js';

const signal = new AbortController().signal;
const vaults = Array.from({ length: 60 }, (_, index) => buildTrackedVault({}, index + 1));

let nowMs: number;
/** Who was simulated in each turn in which anybody was. */
let turns: number[][];
let isNewTurn: boolean;
let exitsMeasured: number;
let exits: ExitStore;
let store: ReturnType<typeof createMemoryCapabilityStore>;
let isSilent: (vault: number) => boolean;

beforeEach(() => {
  [nowMs, turns, isNewTurn, exitsMeasured] = [1_790_000_000_000, [], true, 0];
  store = createMemoryCapabilityStore();
  exits = createMemoryExitStore();
  isSilent = () => false;
});

const prober: Prober = {
  probe: (chosen, block) => {
    if (isNewTurn) turns.push([]);
    isNewTurn = false;
    turns.at(-1)!.push(...chosen.map(({ id }) => id));
    const responding = chosen.filter(({ id }) => !isSilent(id));
    const checkedAt = Math.floor(nowMs / 1_000);
    return Promise.resolve(responding.map(({ id: vault }) => buildCapability({ vault, checkedAt, block })));
  },
  exits: (chosen) => {
    exitsMeasured += chosen.length;
    const checkedAt = Math.floor(nowMs / 1_000);
    return Promise.resolve(chosen.map(({ id: vault }) => buildExit({ vault, checkedAt })));
  },
};
const create = (overrides: Partial<Prober> = {}, random = 0): ProbeRotation => {
  const rotation = createProbeRotation({
    prober: { ...prober, ...overrides },
    store,
    exits,
    hourBefore: (block) => Promise.resolve(block > 1n ? block - 1n : undefined),
    now: () => nowMs,
    random: () => random,
    sampleIntervalSeconds: 300,
    probeIntervalSeconds: 1_800,
  });
  return {
    ...rotation,
    refreshDue: (...whom) => {
      isNewTurn = true;
      return rotation.refreshDue(...whom);
    },
  };
};

describe('createProbeRotation', () => {
  it('default: every vault at first, and again after the interval', async () => {
    const rotation = create();
    for (let turn = 0; turn < 3; turn += 1) {
      await rotation.refreshDue(vaults, 1n, signal);
      nowMs += 300_000;
    }
    expect(turns).toEqual([vaults.map(({ id }) => id)]);
    expect(rotation.capability(7)).toMatchObject({ vault: 7, result: 'ok' });
    expect(store.rows.size).toBe(60);
  });

  it('behavior: a few at a time, so that none gets older than twice the interval', async () => {
    const rotation = create();
    const oldest: number[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      await rotation.refreshDue(vaults, 1n, signal);
      oldest.push(Math.max(...vaults.map(({ id }) => nowMs / 1_000 - rotation.capability(id)!.checkedAt)));
      nowMs += 300_000;
    }
    expect(turns.slice(1).every((turn) => turn.length === 10)).toBe(true);
    expect(Math.max(...oldest)).toBeLessThanOrEqual(3_600);
  });

  it('behavior: thousands of new vaults are not simulated at once', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => buildTrackedVault({}, index + 1));
    const rotation = create();
    for (let turn = 0; turn < 5; turn += 1) await rotation.refreshDue(many, 1n, signal);
    expect(turns.map((turn) => turn.length)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(turns.flat()).size).toBe(1_000);
  });

  it('behavior: another process continues from stored results', async () => {
    await create().refreshDue(vaults, 1n, signal);
    nowMs += 600_000;
    const rotation = create();
    await rotation.loadResults(vaults);
    await rotation.refreshDue(vaults, 2n, signal);
    expect(turns).toHaveLength(1);
    expect(rotation.capability(1)?.block).toBe(1n);
  });

  it('behavior: a vault that cannot be simulated waits for its turn like the others', async () => {
    isSilent = (vault) => vault === 3;
    const rotation = create();
    await rotation.refreshDue(vaults, 1n, signal);
    await rotation.refreshDue(vaults, 1n, signal);
    expect(turns).toHaveLength(1);
    expect(rotation.capability(3)).toBeUndefined();
  });

  it('behavior: an exit is measured once an hour, spread over it, and another process continues', async () => {
    const measured: number[] = [];
    let rotation = create();
    for (let turn = 0; turn < 36; turn += 1) {
      const before = exitsMeasured;
      await rotation.refreshExits(vaults, 1n, signal);
      measured.push(exitsMeasured - before);
      nowMs += 300_000;
      if (turn !== 30) continue;
      rotation = create();
      await rotation.loadResults(vaults);
    }
    expect(measured.slice(0, 13)).toEqual([60, ...Array<number>(11).fill(0), 5]);
    expect(measured.slice(12)).toEqual(Array(24).fill(5));
    expect(rotation.exit(7)).toMatchObject({ newest: { vault: 7 }, previous: { vault: 7 } });
  });

  it('behavior: an exit is measured up to a quarter of an hour earlier', async () => {
    const rotation = create({}, 1);
    const measured: number[] = [];
    for (const seconds of [0, 2_699, 1]) {
      nowMs += seconds * 1_000;
      await rotation.refreshExits(vaults.slice(0, 1), 1n, signal);
      measured.push(exitsMeasured);
    }
    expect(measured).toEqual([1, 1, 2]);
  });

  it('behavior: a new vault is measured in the past hour as well, where the node keeps that state', async () => {
    const newExits: Prober['exits'] = (chosen, block, ...rest) =>
      block === 4n ? Promise.reject(new Error('missing trie node')) : prober.exits(chosen, block, ...rest);
    const [known, pruned] = [create(), create({ exits: newExits })];
    await known.refreshExits(vaults.slice(0, 1), 2n, signal);
    await pruned.refreshExits(vaults.slice(1, 2), 5n, signal);
    const { newest, previous } = known.exit(1)!;
    expect([exitsMeasured, newest.checkedAt]).toEqual([3, nowMs / 1_000]);
    expect(previous).toMatchObject({ checkedAt: nowMs / 1_000 - 3_600 });
    expect(pruned.exit(2)).toMatchObject({ newest: { vault: 2 }, previous: undefined });
  });

  it('error: an error of the prober; the results before it are kept, and only the rest is simulated again', async () => {
    let asked = 0;
    const rotation = create({
      probe: (...whom) => {
        asked += 1;
        return asked === 2 ? Promise.reject(new Error('down')) : prober.probe(...whom);
      },
    });
    await expect(rotation.refreshDue(vaults, 1n, signal)).rejects.toThrow('down');
    expect(store.rows.size).toBe(50);
    await rotation.refreshDue(vaults, 1n, signal);
    expect(turns.map((turn) => turn.length)).toEqual([50, 10]);
    expect(store.rows.size).toBe(60);
  });
});
