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
      record({ curators: ['A', 'B'], llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90' }),
      record({ curators: ['C'] }),
    );
    expect(entries).toEqual([
      {
        ...entry,
        curatorName: 'A, B',
        llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90',
        sources: ['test', 's0', 's1'],
      },
    ]);
  });

  it('behavior: a reviewed curator stays', () => {
    const reviewed = buildRegistryEntry({ curatorName: 'R', facts: { top1Share: 0.9 } });
    const said = record({ curators: ['S'] });
    const entries = mergeRecords([reviewed], [{ source: 's', records: [said] }]);
    expect(entries[0]).toEqual({ ...reviewed, sources: ['test', 's'] });
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
