import { UpstreamFailure } from '@yield-vault/chains';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import type { CatalogueSource, SourceRecord } from './catalogue-source.js';
import { type CatalogueDeps, createCatalogue } from './create-catalogue.js';

const entry = buildRegistryEntry();
const warned: SourceRecord = { chainId: 8453, address: entry.address, flags: ['red-warning'] };

const buildSource = (load: () => Promise<readonly SourceRecord[]>) =>
  ({ name: 'fake', load: jest.fn(load) }) satisfies CatalogueSource;
/** A source with these records. */
const sourceOf = (...records: readonly SourceRecord[]) => buildSource(() => Promise.resolve(records));

const settled = () => new Promise((resolve) => setImmediate(resolve));

let clock: number;
let warnings: { fields: object; message: string }[];
beforeEach(() => {
  clock = 1_000_000;
  warnings = [];
});

const create = (sources: readonly CatalogueSource[], overrides: Partial<CatalogueDeps> = {}) =>
  createCatalogue({
    registry: [entry],
    sources,
    now: () => clock,
    refreshSeconds: 600,
    logger: {
      info: () => undefined,
      warn: (fields, message) => void warnings.push({ fields, message }),
      error: () => undefined,
    },
    ...overrides,
  });

const flagsOf = async (catalogue: ReturnType<typeof create>) => (await catalogue.entries(8453))[0]!.flags;

describe('createCatalogue', () => {
  it('default: the active entries of a chain', async () => {
    const ofEthereum = buildRegistryEntry({ chainId: 1, chain: 'ethereum' });
    const candidate = buildRegistryEntry({
      address: '0x4000000000000000000000000000000000000004',
      name: 'Other',
      status: 'candidate',
    });
    const catalogue = create([], { registry: [entry, ofEthereum, candidate] });
    expect(await catalogue.entries(8453)).toEqual([entry]);
    expect(await catalogue.entries(1)).toEqual([ofEthereum]);
  });

  it('behavior: a source is read once per period, for any number of callers', async () => {
    const source = sourceOf(warned);
    const catalogue = create([source]);
    await Promise.all([catalogue.entries(8453), catalogue.entries(8453), catalogue.entries(1)]);
    expect(await flagsOf(catalogue)).toEqual(['red-warning']);
    expect(source.load).toHaveBeenCalledTimes(1);
    for (const [passed, loads] of [
      [600_000, 2],
      // A clock that is set back delays nothing.
      [-86_400_000, 3],
    ] as const) {
      clock += passed;
      await catalogue.entries(8453);
      expect(source.load).toHaveBeenCalledTimes(loads);
    }
  });

  it('behavior: warnings that were published stand until every source has responded', async () => {
    let respond: (records: readonly SourceRecord[]) => void = () => undefined;
    const slow = buildSource(() => new Promise((resolve) => (respond = resolve)));
    const flags = ['red-warning', 'news', 'not-offered'];
    const catalogue = create([sourceOf(), slow], {
      deadlineMs: 1,
      published: () => Promise.resolve([{ ...entry, flags }]),
    });
    expect(await flagsOf(catalogue)).toEqual(['red-warning']);
    respond([]);
    await settled();
    expect(await flagsOf(catalogue)).toEqual([]);
  });

  it('behavior: a published vault that left the registry, or is a candidate now, stays known and is not offered', async () => {
    const gone = buildRegistryEntry({
      address: '0x4000000000000000000000000000000000000004',
      name: 'Gone',
      facts: {},
    });
    const demoted = buildRegistryEntry({
      address: '0x5000000000000000000000000000000000000005',
      name: 'Demoted',
      status: 'candidate',
    });
    let published = [entry, gone, demoted];
    const catalogue = create([], { registry: [entry, demoted], published: () => Promise.resolve(published) });
    for (let times = 0; times < 2; times++) {
      const entries = await catalogue.entries(8453);
      expect(entries.map(({ address, flags }) => [address, flags])).toEqual([
        [entry.address, []],
        [gone.address, ['not-offered']],
        [demoted.address, ['not-offered']],
      ]);
      // Its asset keeps its peg to the dollar.
      expect(entries[1]!.facts).toEqual({ assetClass: entry.facts.assetClass });
      published = [...entries];
    }
    const again = create([], { registry: [entry, gone], published: () => Promise.resolve(published) });
    expect((await again.entries(8453))[1]).toEqual(gone);
  });

  it('behavior: shows when each source responded, or was first asked', async () => {
    const silent = buildSource(() => Promise.reject(new UpstreamFailure('silent', 'HTTP status 500')));
    const catalogue = create([sourceOf(), { ...silent, name: 'silent' }]);
    expect(catalogue.respondedAt.size).toBe(0);
    const first = clock;
    await catalogue.entries(8453);
    clock += 600_000;
    await catalogue.entries(8453);
    expect([...catalogue.respondedAt]).toEqual([
      ['fake', clock],
      ['silent', first],
    ]);
  });

  it('behavior: a source that goes down keeps its last good response, and is read again after a minute', async () => {
    const source = sourceOf(warned);
    const catalogue = create([source]);
    await catalogue.entries(8453);
    source.load.mockRejectedValue(new UpstreamFailure('fake', 'HTTP status 500'));
    clock += 600_000;
    expect(await flagsOf(catalogue)).toEqual(['red-warning']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]!.fields).toMatchObject({ source: 'fake' });
    for (const [passed, loads] of [
      [59_000, 2],
      [1_000, 3],
    ] as const) {
      clock += passed;
      await catalogue.entries(8453);
      expect(source.load).toHaveBeenCalledTimes(loads);
    }
  });

  it('behavior: an aborted wait returns the available records', async () => {
    const catalogue = create([buildSource(() => new Promise(() => undefined))]);
    const giveUp = new AbortController();
    const waiting = catalogue.entries(8453, giveUp.signal);
    giveUp.abort();
    expect(await waiting).toEqual([entry]);
    expect(await catalogue.entries(8453, giveUp.signal)).toEqual([entry]);
  });

  it('behavior: a vault that only a source knows is not offered', async () => {
    const other: SourceRecord = { ...warned, address: '0x4000000000000000000000000000000000000004' };
    const catalogue = create([sourceOf(other)]);
    expect(await catalogue.entries(8453)).toEqual([entry]);
  });
});
