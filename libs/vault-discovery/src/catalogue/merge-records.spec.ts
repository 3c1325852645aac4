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
    expect(mergeRecords([entry], [])).toEqual([entry]);
  });

  it('behavior: fills unknown facts, and names its sources', () => {
    const entries = merge(
      record({ curators: ['A', 'B'], liquidity: 0.5, llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90' }),
      record({ curators: ['C'], liquidity: 0.2 }),
    );
    expect(entries).toEqual([
      {
        ...entry,
        curatorName: 'A, B',
        llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90',
        // Where sources differ, the worse one.
        facts: { assetClass: 'fiat_stable', liquidity: 0.2 },
        sources: ['test', 's0', 's1'],
      },
    ]);
  });

  it('behavior: reviewed facts stay, also when a source reports better ones', () => {
    const reviewed = buildRegistryEntry({ curatorName: 'R', facts: { liquidity: 0.1, top1Share: 0.9 } });
    const said = record({ curators: ['S'], liquidity: 1 });
    const entries = mergeRecords([reviewed], [{ source: 's', records: [said] }]);
    expect(entries[0]).toEqual({ ...reviewed, sources: ['test', 's'] });
  });

  it('behavior: carries the rewards of a source', () => {
    const reward = { token: entry.address, symbol: 'R', apr: 1, endsAt: null, source: 's1' };
    expect(merge(record(), record({ rewards: [reward] }))[0]!.rewards).toEqual([reward]);
  });

  it.each([1.5, -0.1, NaN])('behavior: a part of %p is no part', (liquidity) => {
    expect(merge(record({ liquidity }))[0]!.facts).toEqual(entry.facts);
  });

  it('behavior: flags are added and never taken away', () => {
    const flagged = buildRegistryEntry({ flags: ['retired'] });
    const entries = mergeRecords(
      [flagged],
      [{ source: 's', records: [record({ flags: ['red-warning', 'retired'] })] }],
    );
    expect(entries[0]!.flags).toEqual(['retired', 'red-warning']);
  });
});
