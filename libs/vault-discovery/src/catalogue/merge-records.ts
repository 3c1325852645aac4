import type { Address } from 'viem';
import type { RegistryEntry, VaultFacts } from '../types.js';
import type { SourceRecord } from './catalogue-source.js';

/** What one source said of the vaults of a chain. */
export interface SourceAnswer {
  readonly source: string;
  readonly records: readonly SourceRecord[];
}

/** A difference between a source and the registry. The registry stands. */
export interface CatalogueConflict {
  readonly source: string;
  readonly chainId: number;
  readonly address: Address;
  readonly field: 'name' | 'asset' | 'symbol' | 'decimals' | 'llamaPool';
  readonly registry: string;
  readonly says: string;
}

export interface MergedCatalogue {
  readonly entries: readonly RegistryEntry[];
  readonly conflicts: readonly CatalogueConflict[];
}

interface Statement {
  readonly source: string;
  readonly record: SourceRecord;
}

/**
 * Add what sources say to the reviewed entries of a chain. A source can make a vault worse, by a flag, and fill what
 * nobody knows; it never takes a flag away, never changes what identifies a vault, and never makes one active. A
 * vault that the registry does not name becomes a candidate when the source says enough of it.
 *
 * @param registry - of one chain
 * @param answers - of the same chain
 */
export function mergeRecords(
  registry: readonly RegistryEntry[],
  answers: readonly SourceAnswer[],
): MergedCatalogue {
  const statements = new Map<string, Statement[]>();
  for (const { source, records } of answers)
    for (const record of records) {
      const key = record.address.toLowerCase();
      statements.set(key, [...(statements.get(key) ?? []), { source, record }]);
    }
  const known = registry.map((entry) => {
    const said = statements.get(entry.address.toLowerCase()) ?? [];
    statements.delete(entry.address.toLowerCase());
    return { entry: enrich(entry, said), conflicts: said.flatMap((each) => conflictsWith(entry, each)) };
  });
  const chain = registry[0]?.chain;
  const unknown = [...statements.values()].flatMap((said) => toCandidate(said, chain) ?? []);
  return {
    entries: [...known.map(({ entry }) => entry), ...unknown],
    conflicts: known.flatMap(({ conflicts }) => conflicts),
  };
}

function enrich(entry: RegistryEntry, said: readonly Statement[]): RegistryEntry {
  if (said.length === 0) return entry;
  const records = said.map(({ record }) => record);
  const curators =
    entry.curatorName ?? records.find(({ curators: names = [] }) => names.length > 0)?.curators?.join(', ');
  const llamaPool = entry.llamaPool ?? records.find((record) => record.llamaPool !== undefined)?.llamaPool;
  return {
    ...entry,
    ...(curators !== undefined && { curatorName: curators }),
    ...(llamaPool !== undefined && { llamaPool }),
    facts: { ...worstOf(records), ...entry.facts },
    flags: [...new Set([...entry.flags, ...records.flatMap(({ flags }) => flags)])],
    sources: [...new Set([...entry.sources, ...said.map(({ source }) => source)])],
  };
}

/** Where sources differ, the one that makes the vault riskier is believed. */
function worstOf(records: readonly SourceRecord[]): Pick<VaultFacts, 'liquidity' | 'top1Share'> {
  const liquidity = records.flatMap((record) => fraction(record.liquidity));
  const shares = records.flatMap((record) => fraction(record.top1Share));
  return {
    ...(liquidity.length > 0 && { liquidity: Math.min(...liquidity) }),
    ...(shares.length > 0 && { top1Share: Math.max(...shares) }),
  };
}

const fraction = (value: number | undefined): number[] =>
  value !== undefined && value >= 0 && value <= 1 ? [value] : [];

/** Field, what the registry has, what the source says, whether that is the same. */
type Difference = readonly [
  CatalogueConflict['field'],
  string | number | undefined,
  string | number | undefined,
  boolean,
];

function conflictsWith(entry: RegistryEntry, { source, record }: Statement): CatalogueConflict[] {
  const symbols = [entry.asset.symbol, ...(entry.symbolAliases ?? [])];
  const { asset } = record;
  const differences: readonly Difference[] = [
    ['name', entry.name, record.name, entry.name === record.name],
    ['asset', entry.asset.address, asset?.address, sameAddress(entry.asset.address, asset?.address)],
    ['symbol', entry.asset.symbol, asset?.symbol, symbols.includes(asset?.symbol ?? '')],
    ['decimals', entry.asset.decimals, asset?.decimals, entry.asset.decimals === asset?.decimals],
    ['llamaPool', entry.llamaPool, record.llamaPool, entry.llamaPool === record.llamaPool],
  ];
  return differences.flatMap(([field, mine, theirs, isSame]) =>
    isSame || mine === undefined || theirs === undefined
      ? []
      : [
          {
            ...{ source, chainId: entry.chainId, address: entry.address, field },
            ...{ registry: String(mine), says: String(theirs) },
          },
        ],
  );
}

const sameAddress = (a: Address, b: Address | undefined): boolean => a.toLowerCase() === b?.toLowerCase();

/** A vault that only sources know, where one of them says what its asset is. */
function toCandidate(said: readonly Statement[], chain: string | undefined): RegistryEntry | undefined {
  const whole = said.find(
    ({ record: { name, asset } }) => name && asset?.address && asset.symbol && asset.decimals !== undefined,
  );
  if (!whole || chain === undefined) return undefined;
  const { record } = whole;
  const entry: RegistryEntry = {
    ...{ chainId: record.chainId, chain, address: record.address, name: record.name! },
    protocol: record.protocol ?? 'unknown',
    asset: {
      symbol: record.asset!.symbol!,
      address: record.asset!.address!,
      decimals: record.asset!.decimals!,
    },
    status: 'candidate',
    ...(record.firstSeen !== undefined && { firstSeen: record.firstSeen }),
    ...(record.inceptBlock !== undefined && { inceptBlock: record.inceptBlock }),
    facts: {},
    flags: [],
    sources: [],
  };
  return { ...enrich(entry, said), facts: {} };
}
