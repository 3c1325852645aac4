import { type Address, numberToHex } from 'viem';
import { silentLogger } from '@yield-vault/protocol';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { createMemorySnapshotStore } from '../../test/memory-stores.js';
import { useFakeChain } from '../../test/start-fake-chain.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { createMembership } from './membership.js';

const addressOf = (id: number): Address => numberToHex(0x1000 + id, { size: 20 });
const entryOf = (id: number, overrides: Partial<RegistryEntry> = {}) =>
  buildRegistryEntry({ address: addressOf(id), name: `Vault ${id}`, ...overrides });
const { signal } = new AbortController();

const chain = useFakeChain(() => [1_790_000_000]);
let entries: readonly RegistryEntry[];

beforeEach(() => {
  entries = [entryOf(1), entryOf(2)];
});

function create() {
  return createMembership({
    chain: { chainId: 8453, key: 'my-base', rpc: chain.rpc },
    catalogue: { entries: () => Promise.resolve(entries) },
    store: createMemorySnapshotStore(),
    logger: silentLogger,
  });
}

describe('createMembership', () => {
  it('behavior: only new entries are compared with the chain', async () => {
    const membership = create();
    await membership.update(signal);
    const before = chain.multicalls.length;
    expect((await membership.update(signal)).vaults).toHaveLength(2);
    expect(chain.multicalls).toHaveLength(before);
    entries = [...entries, entryOf(3)];
    expect((await membership.update(signal)).vaults.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(chain.multicalls.length).toBeGreaterThan(before);
    // Of one vault, not of three.
    expect(Math.max(...chain.multicalls.slice(before).map(({ reads }) => reads))).toBeLessThan(10);
  });

  it('behavior: new facts of a vault are taken over, another asset is compared again', async () => {
    const membership = create();
    await membership.update(signal);
    const before = chain.multicalls.length;
    entries = [entryOf(1, { flags: ['hacked'] }), entryOf(2)];
    const { vaults } = await membership.update(signal);
    expect(vaults[0]).toMatchObject({ id: 1, entry: { flags: ['hacked'], chain: 'my-base' } });
    expect(chain.multicalls).toHaveLength(before);

    // A contradicted entry has the chain's facts, and keeps its id.
    const { asset } = entryOf(2);
    const wrong = { asset: { ...asset, decimals: 7 } };
    for (const name of ['Vault 2', 'Renamed']) {
      entries = [entryOf(1), entryOf(2, { ...wrong, name })];
      const { contradicted, rejected, vaults: others } = await membership.update(signal);
      expect(others.map(({ id }) => id)).toEqual([1]);
      const contradictions = ['asset-decimals'];
      const entry = { name, chain: 'my-base', asset };
      expect(contradicted).toMatchObject([{ id: 2, shareDecimals: 18, contradictions, entry }]);
      expect(rejected).toMatchObject([{ chainId: 8453, address: addressOf(2), name }]);
    }
    entries = [entryOf(1), entryOf(2)];
    const mended = await membership.update(signal);
    expect(mended.vaults.map(({ id, contradictions }) => [id, contradictions])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    expect([mended.contradicted, mended.rejected]).toEqual([[], []]);
  });
});
