import {
  type ActiveChain,
  asReadFailure,
  asUpstreamError,
  chainSchema,
  createActiveChains,
} from '@yield-vault/chains';
import {
  findError,
  silentLogger,
  UpstreamUnavailableError,
  type DiscoverResponse,
  type Strategy,
} from '@yield-vault/protocol';
import type { Address } from 'viem';
import { createProber } from '../capability/create-prober.js';
import { checkVaults, type Mismatch, toTracked } from '../catalogue/check-vaults.js';
import { planSample, sampleBlock, type SamplePlan } from '../sampling/sample-block.js';
import { measureVaults } from '../measuring/measure-vaults.js';
import { toSample } from '../measuring/measurement.js';
import { exitFractionOf } from '../measuring/vault-exit.js';
import { createSeriesBook, floorHour, hourSeconds } from '@yield-vault/vault-metrics';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { flagImpostors } from '../catalogue/flag-impostors.js';
import { createBlockFinder, type Header, readHeader } from '../chain/block-finder.js';
import { discoverySchema } from '../discovery-schema.js';
import type { ExitSample, ExitState, Snapshot, SummaryRow } from '../ports.js';
import { createContractReader } from '../governance/create-contract-reader.js';
import { createPricer } from '../prices/create-pricer.js';
import { toPricedAssets } from '../prices/priced-assets.js';
import { hoursBetween, readHours, snapshotsOf } from '../sampling/read-hours.js';
import { createChainIndex } from '../serving/chain-index.js';
import { chooseEntries, type EntryChoice, invalid } from './choose-entries.js';

const pastHours = 30 * 24;
const {
  multicallBatchSize: batchSize,
  readGasLimit,
  minTvlUsd,
  maxProbeAgeSeconds,
} = discoverySchema.parse({});

/** What to rank, and the node to read it from. */
export interface RankVaultsRequest extends EntryChoice {
  /** Of a node with archive state of the last 30 days. */
  readonly rpcUrl: string;
  /** `balanced` by default. */
  readonly strategy?: Strategy;
  /** Ends the work; `rankVaults` then throws its reason. */
  readonly signal?: AbortSignal;
}

/** The ranking of `discover`, with the vaults that it leaves out. */
export interface VaultRanking extends DiscoverResponse {
  readonly excluded: readonly ExcludedVault[];
}

/** A vault that is not ranked. */
export interface ExcludedVault {
  readonly vaultAddress: Address;
  readonly name: string;
  /** The `exclusions` of discovery, or how the chain contradicts the registry. */
  readonly reasons: readonly string[];
}

/**
 * Rank the vaults of an asset from one node, as `discover` would: 30 days of hourly share prices, the newest prices,
 * and a simulated deposit into each vault. Needs no database. A minute or so on a remote node.
 *
 * @throws {ChainNotActiveError} for a chain that the registry lacks
 * @throws {InvalidParametersError} for an unknown asset, a vault of another asset, or the node of another chain
 * @throws {UpstreamUnavailableError} when the node is down. Its `details.reason` is `NO_ARCHIVE_STATE` where the node
 * keeps too little history; it is then not retryable
 *
 * @example
 * const { vaults } = await rankVaults({ rpcUrl, chain: 'base', asset: 'USDC' });
 */
export async function rankVaults(request: RankVaultsRequest): Promise<VaultRanking> {
  const { signal = new AbortController().signal, strategy = 'balanced' } = request;
  const { wanted, peers } = chooseEntries(request);
  const chain = connect(request, wanted);
  try {
    const { rows, mismatches } = await measure(chain, wanted, peers, signal);
    const index = createChainIndex(rows);
    const vaults = index.select({ ...request, strategy, limit: Infinity });
    return {
      chain: chain.key,
      chainId: chain.chainId,
      strategy,
      count: vaults.length,
      vaults,
      excluded: [
        ...mismatches.map(({ entry, reason }) => toExcluded(entry.address, entry.name, [reason])),
        ...index.all
          .filter(({ listed }) => !listed)
          .map(({ vaultAddress, name, exclusions }) => toExcluded(vaultAddress, name, exclusions)),
      ],
    };
  } catch (error) {
    signal.throwIfAborted();
    throw asReadFailure(error, `rpc:${chain.key}`) ?? error;
  }
}

const toExcluded = (vaultAddress: Address, name: string, reasons: readonly string[]): ExcludedVault => ({
  vaultAddress,
  name,
  reasons,
});

function connect({ rpcUrl, chain }: RankVaultsRequest, [entry]: readonly RegistryEntry[]): ActiveChain {
  const { chainId } = entry!;
  const settings = { chainId, name: chain, rpcUrls: [rpcUrl], explorerUrl: rpcUrl };
  const parsed = chainSchema.safeParse(settings);
  if (!parsed.success) throw invalid('rpcUrl', 'must be an http or https URL');
  return createActiveChains({ chains: { [chain]: parsed.data } }).require(chain);
}

interface Measured {
  readonly rows: readonly SummaryRow[];
  readonly mismatches: readonly Mismatch[];
}

/** Measure the vaults as the sampler does. Peers are measured for the benchmark only. */
async function measure(
  chain: ActiveChain,
  wanted: readonly RegistryEntry[],
  peers: readonly RegistryEntry[],
  signal: AbortSignal,
): Promise<Measured> {
  const { rpc, chainId, key } = chain;
  const logger = silentLogger;
  const actual = await rpc.getChainId();
  if (actual !== chainId)
    throw invalid('rpcUrl', `is a node of chain id ${actual}, and ${key} has ${chainId}`);
  const entries = flagImpostors([...wanted, ...peers]);
  const { checked, mismatches } = await checkVaults(rpc, entries, batchSize);
  const vaults = checked.map(toTracked);
  const addresses = new Set(wanted.map(({ address }) => address));
  const isWanted = ({ entry }: { readonly entry: RegistryEntry }) => addresses.has(entry.address);

  const assets = toPricedAssets(vaults.map(({ entry }) => entry));
  const pricer = createPricer({ chain, assets, logger });
  const plan = planSample(vaults, pricer, { batchSize, readGasLimit });
  const head = await readHeader(rpc);
  const snapshots = [
    ...(await readPast(chain, plan, head, signal)),
    ...(await sampleBlock(rpc, plan, head)).snapshots,
  ];
  const book = createSeriesBook();
  for (const snapshot of snapshots)
    book.add(snapshot.vault, toSample(vaults[snapshot.vault]!.entry, snapshot));
  const newest = new Map(snapshots.map((snapshot) => [snapshot.vault, snapshot]));

  const prober = createProber({ chain: key, rpc, readGasLimit, logger });
  const block = BigInt(head.number);
  const ranked = vaults.filter(isWanted);
  const probed = await prober.probe(ranked, block, signal);
  const exits = new Map((await prober.exits(ranked, block, signal)).map((exit) => [exit.vault, exit]));
  const contracts = await createContractReader({ chain, readGasLimit })(ranked, block, signal);
  const inputs = vaults.map((vault) => ({
    vault,
    series: book.columns(vault.id),
    last: newest.get(vault.id),
    capability: probed.find((capability) => capability.vault === vault.id),
    exit: withoutPast(exits.get(vault.id)),
    contract: contracts.find((facts) => facts.vault === vault.id),
  }));
  const reports = await measureVaults(inputs, { now: Date.now() / 1_000, minTvlUsd, maxProbeAgeSeconds });
  return {
    rows: reports.filter((report) => isWanted(vaults[report.vault]!)),
    mismatches: mismatches.filter(isWanted),
  };
}

/** The exit of a vault that was measured once. One measurement without an exit excludes it. */
function withoutPast(newest: ExitSample | undefined): ExitState | undefined {
  if (!newest) return undefined;
  const { instant } = newest;
  const fraction = exitFractionOf(newest);
  const p10 = instant === null || fraction === undefined ? undefined : { instant, fraction };
  return { newest, previous: newest, p10, days: [] };
}

/** Read the last block of each hour. The oldest hour comes first: it shows whether the node keeps its state. */
async function readPast(
  { rpc, key }: ActiveChain,
  plan: SamplePlan,
  head: Header,
  signal: AbortSignal,
): Promise<Snapshot[]> {
  const finder = createBlockFinder(rpc, head);
  const end = floorHour(head.t);
  const [oldest, ...others] = hoursBetween(end - pastHours * hourSeconds, end);
  const snapshots: Snapshot[] = [];
  for (const hours of [[oldest!], others]) {
    const readings = await readHours(rpc, finder, plan, hours, signal).catch((error: unknown) => {
      throw asUpstreamError(error, `rpc:${key}`) ?? (isRefusal(error) ? noArchive(key, error) : error);
    });
    if (readings.some(({ found }) => found === 'missing-state')) throw noArchive(key);
    snapshots.push(...snapshotsOf(readings));
  }
  return snapshots;
}

// The head read succeeded, so a refusal of an old block means missing archive state.
const isRefusal = (error: unknown) =>
  (findError(error, 'RpcRequestError') ?? findError(error, 'BlockNotFoundError')) !== undefined;

const noArchive = (chain: string, cause?: unknown) =>
  new UpstreamUnavailableError({
    detail: `The node of ${chain} does not keep the state of the last 30 days.`,
    nextAction: 'Use the rpcUrl of an archive node.',
    details: { dependency: `rpc:${chain}`, reason: 'NO_ARCHIVE_STATE' },
    retryable: false,
    cause,
  });
