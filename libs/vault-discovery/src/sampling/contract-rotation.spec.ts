import { buildContractFacts } from '../../test/build-contract-facts.js';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createMemoryContractFactsStore } from '../../test/memory-stores.js';
import type { ContractFactsStore } from '../ports.js';
import { createContractRotation } from './contract-rotation.js';

const vaults = Array.from({ length: 600 }, (_, index) => buildTrackedVault({}, index + 1));
const dayMs = 86_400_000;

describe('createContractRotation', () => {
  let store: ContractFactsStore;
  let nowMs: number;
  let reads: number[];
  beforeEach(() => {
    [store, nowMs, reads] = [createMemoryContractFactsStore(), 1_790_000_000_000, []];
  });
  const create = () =>
    createContractRotation({
      store,
      now: () => nowMs,
      reader: (chosen) => {
        reads.push(chosen.length);
        const checkedAt = nowMs / 1_000;
        return Promise.resolve(chosen.map(({ id: vault }) => buildContractFacts({ vault, checkedAt })));
      },
    });

  it('default: reads every vault once a day, at most 500 at once', async () => {
    const rotation = create();
    for (const ms of [0, 0, dayMs - 1, dayMs]) {
      nowMs = 1_790_000_000_000 + ms;
      await rotation.refreshDue(vaults, 1n);
    }
    expect(reads).toEqual([500, 100, 500]);
    expect(rotation.facts(1)?.checkedAt).toBe(1_790_086_400);
  });

  it('behavior: a restart reads nothing', async () => {
    const some = vaults.slice(0, 3);
    await create().refreshDue(some, 1n);
    const restarted = create();
    await restarted.load(some);
    await restarted.refreshDue(some, 1n);
    expect(reads).toEqual([3]);
    expect(restarted.facts(3)?.vault).toBe(3);
  });
});
