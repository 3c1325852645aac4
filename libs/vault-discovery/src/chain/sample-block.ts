import { encodeFunctionData, erc4626Abi, type Hex, type PublicClient } from 'viem';
import type { CheckedEntry, Contradiction } from '../catalogue/check-vaults.js';
import { extraProbeDecimals, priceSources, snapshotOrigins, type Snapshot } from '../ports.js';
import type { AssetPrice, Pricer } from '../prices/types.js';
import type { Header } from './block-finder.js';
import { readBatches, toBatches, type Batch, type Read } from './read-contracts.js';

/** A vault with its id in the store. */
export interface TrackedVault extends CheckedEntry {
  readonly id: number;
  readonly vaultId: string;
  /** What the chain contradicts of the registry: asset and decimals are then those of the chain, and it is not sampled. */
  readonly contradictions?: readonly Contradiction[];
}

/** What a sample asks of a vault; a vault that does not answer all of it gives no snapshot. */
export const sampledFunctions = ['convertToAssets', 'totalAssets', 'totalSupply'] as const;
export type SampledFunction = (typeof sampledFunctions)[number];

const wordLength = 66;
const unpriced: AssetPrice = { usd: 0, source: priceSources.unknown };

export interface SampleSettings {
  readonly batchSize: number;
  /** Gas that one read may burn. */
  readonly readGasLimit: number;
}

/** What a sample of vaults asks for, encoded once for many blocks. */
export interface SamplePlan {
  readonly vaults: readonly TrackedVault[];
  readonly pricer: Pricer;
  readonly batches: readonly Batch[];
}

/** What a block said of vaults. */
export interface Sample {
  readonly header: Header;
  readonly snapshots: readonly Snapshot[];
  /** Of every asset that the plan prices, by its address in lower case. */
  readonly prices: ReadonlyMap<string, AssetPrice>;
  /** Reads without an answer that is an amount. */
  readonly unanswered: readonly { readonly vault: number; readonly functionName: SampledFunction }[];
  /** Nothing at all answered: the node is to blame, not the vaults. */
  readonly isEmpty: boolean;
}

/** Plan to measure vaults and to price their assets, with one call while that fits into a batch. */
export function planSample(
  vaults: readonly TrackedVault[],
  pricer: Pricer,
  { batchSize, readGasLimit }: SampleSettings,
): SamplePlan {
  const reads = [...vaults.flatMap(readsOf), ...pricer.reads()];
  return { vaults, pricer, batches: toBatches(reads, batchSize, readGasLimit) };
}

/**
 * Measure vaults at one block.
 *
 * @throws what the client throws when the node is down or lacks the state of the block
 */
export async function sampleBlock(
  rpc: PublicClient,
  { vaults, pricer, batches }: SamplePlan,
  header: Header,
): Promise<Sample> {
  const results = await readBatches(rpc, batches, BigInt(header.number));
  const ofVaults = vaults.length * sampledFunctions.length;
  const prices = await pricer.prices(header, results.slice(ofVaults));
  const snapshots: Snapshot[] = [];
  const unanswered: { vault: number; functionName: SampledFunction }[] = [];

  vaults.forEach((vault, index) => {
    const [sharePrice, totalAssets, totalSupply] = sampledFunctions.map((functionName, offset) => {
      const amount = toAmount(results[index * sampledFunctions.length + offset]);
      if (amount === undefined) unanswered.push({ vault: vault.id, functionName });
      return amount;
    });
    if (sharePrice === undefined || totalAssets === undefined || totalSupply === undefined) return;
    const price = prices.get(vault.entry.asset.address.toLowerCase()) ?? unpriced;
    snapshots.push({
      ...{ vault: vault.id, t: header.t, block: BigInt(header.number), origin: snapshotOrigins.chain },
      ...{ sharePrice, totalAssets, totalSupply, priceUsd: price.usd, priceSource: price.source },
    });
  });
  const isEmpty = results.every((result) => result === undefined);
  return { header, snapshots, prices, unanswered, isEmpty };
}

/** Encode one function of a sample. */
export function readOf({ entry, shareDecimals }: CheckedEntry, functionName: SampledFunction): Read {
  const callData = functionName === 'convertToAssets' ? probeOf(shareDecimals) : plainCalls[functionName];
  return { target: entry.address, callData };
}

// Encoded once: thousands of vaults share a few.
const plainCalls = {
  totalAssets: encodeFunctionData({ abi: erc4626Abi, functionName: 'totalAssets' }),
  totalSupply: encodeFunctionData({ abi: erc4626Abi, functionName: 'totalSupply' }),
};
const probes = new Map<number, Hex>();

function probeOf(shareDecimals: number): Hex {
  const args = [10n ** BigInt(shareDecimals + extraProbeDecimals)] as const;
  const probe =
    probes.get(shareDecimals) ??
    encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args });
  probes.set(shareDecimals, probe);
  return probe;
}

const readsOf = (vault: CheckedEntry): Read[] =>
  sampledFunctions.map((functionName) => readOf(vault, functionName));

/** Exactly one word: anything else is not an amount. */
export const toAmount = (data: Hex | undefined): bigint | undefined =>
  data?.length === wordLength ? BigInt(data) : undefined;
