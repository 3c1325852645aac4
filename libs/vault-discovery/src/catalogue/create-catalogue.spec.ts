import { UpstreamFailure } from '@yield-vault/chains';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import type { CatalogueSource, SourceRecord } from './catalogue-source.js';
import { type CatalogueDeps, createCatalogue } from './create-catalogue.js';

const entry = buildRegistryEntry();
const warned: SourceRecord = { chainId: 8453, address: entry.address, flags: ['red-warning'] };

interface FakeSource extends CatalogueSource {
  loads: number;
  next: () => Promise<readonly SourceRecord[]>;
}
const buildSource = (next: FakeSource['next']): FakeSource => {
  const source: FakeSource = {
    name: 'fake',
    loads: 0,
    next,
    load: () => {
      source.loads += 1;
      return source.next();
    },
  };
  return source;
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

let clock: number;
let warnings: { fields: object; message: string }[];
beforeEach(() => {
  clock = 1_000_000;
  warnings = [];
});

const create = (sources: readonly CatalogueSource[], overrides: Partial<CatalogueDeps> = {}) =>
  createCatalogue({
    ...{ registry: [entry], sources, now: () => clock, refreshSeconds: 600 },
    logger: {
      info: () => undefined,
      warn: (fields, message) => void warnings.push({ fields, message }),
      error: () => undefined,
    },
    ...overrides,
  });

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
    const source = buildSource(() => Promise.resolve([warned]));
    const catalogue = create([source]);
    await Promise.all([catalogue.entries(8453), catalogue.entries(8453), catalogue.entries(1)]);
    expect((await catalogue.entries(8453))[0]!.flags).toEqual(['red-warning']);
    expect(source.loads).toBe(1);
    clock += 600_000;
    await catalogue.entries(8453);
    expect(source.loads).toBe(2);
  });

  it('behavior: warnings that were published stand until every source has answered', async () => {
    let respond: (records: readonly SourceRecord[]) => void = () => undefined;
    const slow = buildSource(() => new Promise((resolve) => (respond = resolve)));
    const publishedFlags = () => Promise.resolve(new Map([[entry.address, ['red-warning', 'news']]]));
    const catalogue = create([buildSource(() => Promise.resolve([])), slow], {
      deadlineMs: 1,
      publishedFlags,
    });
    expect((await catalogue.entries(8453))[0]!.flags).toEqual(['red-warning']);
    respond([]);
    await settled();
    expect((await catalogue.entries(8453))[0]!.flags).toEqual([]);
  });

  it('behavior: a source is read also after the clock is set back', async () => {
    const source = buildSource(() => Promise.resolve([]));
    const catalogue = create([source]);
    await catalogue.entries(8453);
    clock -= 86_400_000;
    await catalogue.entries(8453);
    expect(source.loads).toBe(2);
  });

  it('behavior: a source that goes down keeps its last good response, and is read again after a minute', async () => {
    const source = buildSource(() => Promise.resolve([warned]));
    const catalogue = create([source]);
    await catalogue.entries(8453);
    source.next = () => Promise.reject(new UpstreamFailure('fake', 'HTTP status 500'));
    clock += 600_000;
    expect((await catalogue.entries(8453))[0]!.flags).toEqual(['red-warning']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]!.fields).toMatchObject({ source: 'fake' });
    clock += 59_000;
    await catalogue.entries(8453);
    expect(source.loads).toBe(2);
    clock += 1_000;
    await catalogue.entries(8453);
    expect(source.loads).toBe(3);
  });

  it('behavior: without any response the registry stands alone', async () => {
    const catalogue = create([buildSource(() => Promise.reject(new UpstreamFailure('fake', 'timed out')))]);
    expect(await catalogue.entries(8453)).toEqual([entry]);
  });

  it('behavior: one source that never answers delays no more than the deadline', async () => {
    const silent = buildSource(() => new Promise(() => undefined));
    const catalogue = create([silent, { ...buildSource(() => Promise.resolve([warned])), name: 'quick' }], {
      deadlineMs: 30,
    });
    expect((await catalogue.entries(8453))[0]!.flags).toEqual(['red-warning']);
  });

  it('behavior: an aborted wait returns the available records', async () => {
    const catalogue = create([buildSource(() => new Promise(() => undefined))]);
    const giveUp = new AbortController();
    const waiting = catalogue.entries(8453, giveUp.signal);
    giveUp.abort();
    expect(await waiting).toEqual([entry]);
    expect(await catalogue.entries(8453, giveUp.signal)).toEqual([entry]);
  });

  it('behavior: a late response serves the next call', async () => {
    let respond = (_: readonly SourceRecord[]): void => undefined;
    const slow = buildSource(() => new Promise((resolve) => (respond = resolve)));
    const catalogue = create([slow], { deadlineMs: 10 });
    expect(await catalogue.entries(8453)).toEqual([entry]);
    respond([warned]);
    expect((await catalogue.entries(8453))[0]!.flags).toEqual(['red-warning']);
    expect(slow.loads).toBe(1);
  });

  it('behavior: a vault that only a source knows is not offered', async () => {
    const other: SourceRecord = { ...warned, address: '0x4000000000000000000000000000000000000004' };
    const catalogue = create([buildSource(() => Promise.resolve([other]))]);
    expect(await catalogue.entries(8453)).toEqual([entry]);
  });
});
