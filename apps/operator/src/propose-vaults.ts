import { silentLogger } from '@yield-vault/protocol';
import { getAddress, type PublicClient } from 'viem';
import {
  badFlags,
  capabilityExclusions,
  checkVaults,
  createProber,
  createSources,
  discoverySchema,
  exitExclusions,
  exitFractionOf,
  flagImpostors,
  mergeRecords,
  type RegistryEntry,
  type SourceResult,
  toTracked,
  type VaultFacts,
} from '@yield-vault/vault-discovery';
import { changedFacts, factsOf, readChainFacts } from './chain-facts.js';
import { type CliIo, CommandFailure, connect, type RpcUrls, type VaultList } from './io.js';
import { readCandidates } from './read-candidates.js';
import { loadRegistry, saveEntries } from './registry-file.js';

const loadTimeoutMs = 120_000;
const { maxProbeAgeSeconds } = discoverySchema.parse({});
/** Facts that an active vault should have. */
const wantedFacts = ['admin', 'audits', 'curator', 'strategy', 'assetClass', 'oracle'] as const;

export interface ProposeOptions {
  readonly rpc?: RpcUrls;
  readonly registry?: string;
  readonly morpho?: string;
  readonly llama?: string;
  readonly list?: readonly VaultList[];
  readonly write?: boolean;
}

/** A vault that a reviewer should look at. */
interface Proposal {
  /** `new`, bad flags, lists that it left, facts that changed, contradictions of the chain, and exclusions of discovery. */
  readonly why: readonly string[];
  /** What it lacks to be active, besides an exit. */
  readonly missing: readonly string[];
  /** Percent of the assets that can leave at once; null when unknown. */
  readonly exitPercent: number | null;
  /** As the registry would have it. */
  readonly entry: RegistryEntry;
}

/**
 * Compare a registry with lists of vaults and with the chain, and print the changes for a reviewer. `write` also
 * changes the registry file: new vaults become candidates, and active vaults get bad flags, facts and their evidence.
 *
 * @returns how many vaults need a review
 */
export async function proposeVaults(options: ProposeOptions, io: CliIo): Promise<number> {
  const { registry: file, rpc: urls = {}, morpho, llama, list = [], write } = options;
  if (write && file === undefined) throw new CommandFailure('name the file to write: --registry <file>');
  const registry = loadRegistry({ registry: file, candidates: true });
  const sources = createSources({ morphoUrl: morpho, llamaYieldsUrl: llama });
  const proposals: Proposal[] = [];
  for (const [chain, url] of Object.entries(urls)) {
    const expected = registry.find((entry) => entry.chain === chain)?.chainId;
    const { rpc, chainId } = await connect(chain, url, expected);
    const known = registry.filter((entry) => entry.chainId === chainId);
    const other = known.find((entry) => entry.chain !== chain)?.chain;
    if (other) throw new CommandFailure(`the registry calls chain ${chainId} ${other}, not ${chain}`);
    const lists = list.map((each) => readList(each, chainId));
    for (const source of sources) {
      const records = await source.load([chainId], AbortSignal.timeout(loadTimeoutMs));
      lists.push({ source: source.name, records });
    }
    const unknown = new Set(lists.flatMap(({ records }) => records.map(({ address }) => address)));
    for (const { address } of known) unknown.delete(address);
    const found = await readCandidates(rpc, { chainId, chain }, [...unknown].sort());
    io.note(`${chain}: ${found.length} of ${unknown.size} unknown addresses are vaults`);
    const added = flagImpostors(mergeRecords([...known, ...found], lists))
      .slice(known.length)
      .map((entry) => (entry.sources.includes('morpho') ? { ...entry, protocol: 'morpho' } : entry));
    const active = known.filter(({ status }) => status !== 'candidate');
    proposals.push(...(await review(rpc, [...active, ...added], lists)));
  }
  const entries = proposals.map(({ entry }) => entry);
  if (write) saveEntries(file!, entries);
  io.out(JSON.stringify({ proposals }, null, 2));
  return proposals.length;
}

/**
 * A list is any text with addresses, e.g. a file of an official repository, or an address itself. The chain says which
 * of them are vaults.
 */
function readList({ name, text }: VaultList, chainId: number): SourceResult {
  const addresses = text.match(/\b0x[\da-f]{40}\b/gi) ?? [];
  const records = addresses.map((address) => ({ chainId, address: getAddress(address), flags: [] }));
  return { source: name, records };
}

/** Compare entries with lists and the chain. @returns those that need a review */
async function review(
  rpc: PublicClient,
  entries: readonly RegistryEntry[],
  lists: readonly SourceResult[],
): Promise<Proposal[]> {
  const { checked, mismatches } = await checkVaults(rpc, entries);
  const vaults = checked.map(toTracked);
  const prober = createProber({ chain: entries[0]?.chain ?? '', rpc, logger: silentLogger });
  const [block, { signal }] = [await rpc.getBlockNumber(), new AbortController()];
  const probes = await prober.probe(vaults, block, signal);
  const exits = await prober.exits(vaults, block, signal);
  const factsOnChain = await readChainFacts(rpc, checked);
  const now = Date.now() / 1_000;
  return entries.flatMap((entry) => {
    const id = vaults.findIndex((vault) => vault.entry === entry);
    const capability = probes.find(({ vault }) => vault === id);
    const newest = exits.find(({ vault }) => vault === id);
    // One reading suffices for a proposal: a reviewer decides.
    const exit = newest && { newest, previous: newest, p10: undefined, days: [] };
    // Candidates of the registry are not reviewed, so this one was found in this run.
    const isNew = entry.status === 'candidate';
    const listed = mergeRecords([entry], lists)[0]!.flags;
    const flags = listed.filter((flag) => badFlags.has(flag) && !entry.flags.includes(flag));
    const rejected = mismatches.filter((mismatch) => mismatch.entry === entry);
    const onChain = factsOnChain.get(entry) ?? {};
    const changed = changedFacts(entry, onChain);
    const why = [
      ...(isNew ? ['new'] : []),
      ...listsWithout(entry, lists).map((name) => `left ${name}`),
      ...changed.map((fact) => `${fact} changed`),
      ...flags,
      ...rejected.map(({ reason }) => reason),
    ];
    // A rejected entry is not measured.
    if (rejected.length === 0)
      why.push(
        ...capabilityExclusions({ capability }, { now, maxProbeAgeSeconds }),
        ...exitExclusions({ exit, capability }, now),
        ...(newest?.instant == null ? ['exit-unknown'] : []),
      );
    if (why.length === 0) return [];
    const flagged = { ...entry, flags: [...entry.flags, ...flags] };
    const after = withFacts(flagged, isNew ? factsOf(onChain) : changed, onChain);
    const missing: string[] = wantedFacts.filter((fact) => after.facts[fact] === undefined);
    if (after.protocol === 'unknown') missing.unshift('protocol');
    const fraction = newest && exitFractionOf(newest);
    const exitPercent = fraction === undefined ? null : Math.round(fraction * 10_000) / 100;
    return [{ why, missing, exitPercent, entry: after }];
  });
}

/** Take over the facts that the contracts of a vault say. */
function withFacts(
  entry: RegistryEntry,
  names: readonly (keyof VaultFacts)[],
  onChain: VaultFacts,
): RegistryEntry {
  if (names.length === 0) return entry;
  const others = (entry.evidence ?? []).flatMap((piece) => {
    const facts = piece.facts.filter((fact) => !names.includes(fact));
    return facts.length > 0 ? [{ ...piece, facts }] : [];
  });
  const date = new Date().toISOString().slice(0, 10);
  return {
    ...entry,
    facts: { ...entry.facts, ...Object.fromEntries(names.map((name) => [name, onChain[name]])) },
    evidence: [...others, { facts: names, source: `chain:${entry.chain}`, date }],
  };
}

/** The lists that an entry names and that no longer name it. */
function listsWithout({ address, sources }: RegistryEntry, lists: readonly SourceResult[]): string[] {
  const has = ({ records }: SourceResult) => records.some((each) => each.address === address);
  const others = new Set(lists.map(({ source }) => source));
  for (const { source } of lists.filter(has)) others.delete(source);
  return [...others].filter((name) =>
    sources.some((source) => source === name || source.startsWith(`github:${name}@`)),
  );
}
