import { type Address, numberToHex } from 'viem';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { createMemorySnapshotStore } from '../../test/memory-stores.js';
import { type FakeChain, startFakeChain } from '../../test/start-fake-chain.js';
import type { RegistryEntry } from '../types.js';
import { createMembership } from './membership.js';
import { silentLogger } from '../ports.js';

const addressOf = (id: number): Address => numberToHex(0x1000 + id, { size: 20 });
const entryOf = (id: number, overrides: Partial<RegistryEntry> = {}) =>
  buildRegistryEntry({ address: addressOf(id), name: `Vault ${id}`, ...overrides });
const { signal } = new AbortController();

let chain: FakeChain;
let entries: readonly RegistryEntry[] | undefined;

beforeEach(async () => {
  chain = await startFakeChain([1_790_000_000]);
  entries = [entryOf(1), entryOf(2)];
});
afterEach(() => chain.stop());

function create() {
  return createMembership({
    chain: { chainId: 8453, key: 'my-base', rpc: chain.rpc },
    catalogue: {
      entries: () => (entries ? Promise.resolve(entries) : Promise.reject(new Error('no catalogue'))),
    },
    store: createMemorySnapshotStore(),
    batchSize: 200,
    logger: silentLogger,
  });
}

describe('createMembership', () => {
  it('default: vaults that the chain confirms, with ids and the key of the chain', async () => {
    const { vaults, contradicted, rejected } = await create().update(signal);
    expect(vaults).toMatchObject([
      { id: 1, shareDecimals: 18, entry: { name: 'Vault 1', chain: 'my-base' } },
      { id: 2, shareDecimals: 18, entry: { name: 'Vault 2', chain: 'my-base' } },
    ]);
    expect([contradicted, rejected]).toEqual([[], []]);
  });

  it('behavior: only new entries are compared with the chain', async () => {
    const membership = create();
    await membership.update(signal);
    const before = chain.multicalls.length;
    expect((await membership.update(signal)).vaults).toHaveLength(2);
    expect(chain.multicalls).toHaveLength(before);
    entries = [...entries!, entryOf(3)];
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
    entries = [entryOf(1), entryOf(2, { asset: { ...entryOf(2).asset, decimals: 7 } })];
    const after = await membership.update(signal);
    expect(after.vaults.map(({ id }) => id)).toEqual([1]);
    expect(after.rejected).toMatchObject([{ chainId: 8453, address: addressOf(2), name: 'Vault 2' }]);
  });

  it('behavior: a contradicted entry has the chain’s facts, and keeps its id', async () => {
    const membership = create();
    await membership.update(signal);
    const wrong = { ...entryOf(2).asset, decimals: 7 };
    entries = [entryOf(1), entryOf(2, { asset: wrong })];
    const { contradicted } = await membership.update(signal);
    const contradictions = ['asset-decimals'];
    const { asset } = entryOf(2);
    expect(contradicted).toMatchObject([
      { id: 2, shareDecimals: 18, contradictions, entry: { chain: 'my-base', asset } },
    ]);
    const before = chain.multicalls.length;
    entries = [entryOf(1), entryOf(2, { asset: wrong, name: 'Renamed' })];
    expect((await membership.update(signal)).contradicted).toMatchObject([
      { id: 2, contradictions, entry: { name: 'Renamed', chain: 'my-base', asset } },
    ]);
    expect(chain.multicalls).toHaveLength(before);
    entries = [entryOf(1), entryOf(2)];
    const mended = await membership.update(signal);
    expect(mended.vaults.map(({ id, contradictions: open }) => [id, open])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    expect([mended.contradicted, mended.rejected]).toEqual([[], []]);
  });

  it('behavior: where there is no vault nothing is known', async () => {
    const { respond } = chain;
    chain.respond = (target, name, block) =>
      target === addressOf(2) && name === 'asset' ? undefined : respond(target, name, block);
    const { vaults, contradicted, rejected } = await create().update(signal);
    expect(vaults.map(({ id }) => id)).toEqual([1]);
    expect(contradicted).toEqual([]);
    expect(rejected).toMatchObject([{ address: addressOf(2), name: 'Vault 2' }]);
  });

  it('behavior: vaults that leave the catalogue are removed', async () => {
    const membership = create();
    await membership.update(signal);
    entries = entries!.slice(1);
    expect((await membership.update(signal)).vaults.map(({ id }) => id)).toEqual([2]);
  });

  it('behavior: a catalogue that fails keeps its last response; without one it is an error', async () => {
    const membership = create();
    const respond = entries;
    entries = undefined;
    await expect(membership.update(signal)).rejects.toThrow('no catalogue');
    entries = respond;
    await membership.update(signal);
    entries = undefined;
    expect((await membership.update(signal)).vaults).toHaveLength(2);
  });

  it('error: a node that is down removes no vault', async () => {
    chain.node.setFault('http-500');
    const membership = create();
    const error: unknown = await membership.update(signal).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    chain.node.setFault(undefined);
    expect((await membership.update(signal)).vaults).toHaveLength(2);
  });
});
