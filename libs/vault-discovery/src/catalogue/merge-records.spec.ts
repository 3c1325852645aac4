import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import type { SourceRecord } from './catalogue-source.js';
import { mergeRecords } from './merge-records.js';

const entry = buildRegistryEntry({ facts: { assetClass: 'fiat_stable' } });
const record = (overrides: Partial<SourceRecord> = {}): SourceRecord => ({
  chainId: entry.chainId,
  address: entry.address,
  flags: [],
  ...overrides,
});
const merge = (...records: SourceRecord[]) =>
  mergeRecords(
    [entry],
    records.map((each, index) => ({ source: `s${index}`, records: [each] })),
  );

describe('mergeRecords', () => {
  it('default: without sources the registry stands as it is', () => {
    expect(mergeRecords([entry], [])).toEqual({ entries: [entry], conflicts: [] });
  });

  it('behavior: fills what nobody knows, and names its sources', () => {
    const { entries } = merge(
      record({ curators: ['A', 'B'], liquidity: 0.5, llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90' }),
      record({ curators: ['C'], liquidity: 0.2, top1Share: 0.4 }),
    );
    expect(entries).toEqual([
      {
        ...entry,
        curatorName: 'A, B',
        llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90',
        // Where sources differ, the worse one.
        facts: { assetClass: 'fiat_stable', liquidity: 0.2, top1Share: 0.4 },
        sources: ['test', 's0', 's1'],
      },
    ]);
  });

  it('behavior: what was reviewed stays, however much better a source says it is', () => {
    const reviewed = buildRegistryEntry({ curatorName: 'R', facts: { liquidity: 0.1, top1Share: 0.9 } });
    const said = record({
      curators: ['S'],
      liquidity: 1,
      top1Share: 0,
      firstSeen: '2001-01-01',
      inceptBlock: 1,
    });
    const { entries } = mergeRecords([reviewed], [{ source: 's', records: [said] }]);
    expect(entries[0]).toEqual({ ...reviewed, sources: ['test', 's'] });
  });

  it.each([1.5, -0.1, NaN])('behavior: a part of %p is no part', (liquidity) => {
    expect(merge(record({ liquidity, top1Share: liquidity })).entries[0]!.facts).toEqual(entry.facts);
  });

  it('behavior: flags are added and never taken away', () => {
    const flagged = buildRegistryEntry({ flags: ['retired'] });
    const { entries } = mergeRecords(
      [flagged],
      [{ source: 's', records: [record({ flags: ['red-warning', 'retired'] })] }],
    );
    expect(entries[0]!.flags).toEqual(['retired', 'red-warning']);
  });

  it('behavior: a source never changes what identifies a vault; the difference is listed', () => {
    const asset = {
      address: '0x5000000000000000000000000000000000000005',
      symbol: 'WETH',
      decimals: 18,
    } as const;
    const { entries, conflicts } = merge(record({ name: 'Other', asset }));
    expect(entries[0]).toMatchObject({ name: entry.name, asset: entry.asset });
    expect(conflicts.map(({ source, field, registry, says }) => [source, field, registry, says])).toEqual([
      ['s0', 'name', 'Steady USDC', 'Other'],
      ['s0', 'asset', entry.asset.address, asset.address],
      ['s0', 'symbol', 'USDC', 'WETH'],
      ['s0', 'decimals', '6', '18'],
    ]);
  });

  it('behavior: an address in another case and a symbol by its alias are no conflict', () => {
    const aliased = buildRegistryEntry({ symbolAliases: ['USD₮0'] });
    const address = entry.asset.address.toLowerCase() as `0x${string}`;
    const said = record({ asset: { address, symbol: 'USD₮0', decimals: 6 } });
    expect(mergeRecords([aliased], [{ source: 's', records: [said] }]).conflicts).toEqual([]);
  });

  it('behavior: a vault that only sources know is a candidate without facts, whatever they say', () => {
    const address = '0x4000000000000000000000000000000000000004';
    const { entries } = merge(
      record({ address, flags: ['red-warning'] }),
      record({ address, name: 'New', asset: entry.asset, protocol: 'p', liquidity: 1, inceptBlock: 7 }),
    );
    expect(entries[1]).toEqual({
      ...{ chainId: 8453, chain: 'base', address, name: 'New', protocol: 'p', asset: entry.asset },
      ...{ status: 'candidate', inceptBlock: 7, facts: {}, flags: ['red-warning'], sources: ['s0', 's1'] },
    });
  });

  it('behavior: a vault of which no source says enough is left out', () => {
    const address = '0x4000000000000000000000000000000000000004';
    expect(merge(record({ address, name: 'New' })).entries).toEqual([{ ...entry }]);
  });
});
