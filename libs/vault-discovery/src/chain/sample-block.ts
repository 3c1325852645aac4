import {
  decodeAbiParameters,
  encodeFunctionData,
  erc4626Abi,
  parseAbi,
  type Hex,
  type PublicClient,
} from 'viem';
import { priceSources, snapshotOrigins, type PriceSource, type Snapshot } from '../ports.js';
import type { Header } from './block-finder.js';
import type { CheckedEntry } from '../catalogue/check-vaults.js';
import { findKnownAsset, type PriceFeed } from './known-assets.js';
import { readBatches, toBatches, type Batch, type Read } from './read-contracts.js';

/** A confirmed vault with its id in the store. */
export interface TrackedVault extends CheckedEntry {
  readonly id: number;
  readonly vaultId: string;
}

// A share price of one whole share has too few digits: an hour of yield is lost in its rounding.
const extraProbeDecimals = 6;
const readsPerVault = 3;
const staleHeartbeats = 1.5;
const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);
const feedDecimals = 8;
const latestRoundData = encodeFunctionData({ abi: feedAbi, functionName: 'latestRoundData' });
const wordLength = 66;

/** What a sample of vaults asks for, encoded once for many blocks. */
export interface SamplePlan {
  readonly vaults: readonly TrackedVault[];
  readonly feeds: readonly PriceFeed[];
  readonly batches: readonly Batch[];
}

/** Plan to measure vaults, with one call while they fit into a batch. */
export function planSample(vaults: readonly TrackedVault[], batchSize: number): SamplePlan {
  const byAddress = new Map(
    vaults.flatMap(({ entry }) => {
      const feed = findKnownAsset(entry.chainId, entry.asset.address)?.feed;
      return feed ? [[feed.address, feed] as const] : [];
    }),
  );
  const feeds = [...byAddress.values()];
  const reads = [...vaults.flatMap(snapshotReads), ...feeds.map(readOfFeed)];
  return { vaults, feeds, batches: toBatches(reads, batchSize) };
}

/** Measure vaults at one block. A vault that does not answer is left out. */
export async function sampleBlock(
  rpc: PublicClient,
  { vaults, feeds, batches }: SamplePlan,
  header: Header,
): Promise<Snapshot[]> {
  const results = await readBatches(rpc, batches, BigInt(header.number));
  const prices = new Map(
    feeds.map((feed, index) => [
      feed.address,
      priceOf(feed, results[vaults.length * readsPerVault + index], header.t),
    ]),
  );
  return vaults.flatMap((vault, index) => {
    const [sharePrice, totalAssets, totalSupply] = results
      .slice(index * readsPerVault, (index + 1) * readsPerVault)
      .map(uintOf);
    if (sharePrice === undefined || totalAssets === undefined || totalSupply === undefined) return [];
    const measured = { vault: vault.id, t: header.t, block: BigInt(header.number), sharePrice };
    const origin = snapshotOrigins.chain;
    return [{ ...measured, totalAssets, totalSupply, ...usdPriceOf(vault, prices), origin }];
  });
}

/** Encode what a sample asks of a vault: share price, assets, shares. */
function snapshotReads({ entry, shareDecimals }: CheckedEntry): Read[] {
  const probe = 10n ** BigInt(shareDecimals + extraProbeDecimals);
  const target = entry.address;
  return [
    {
      target,
      callData: encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [probe] }),
    },
    { target, callData: encodeFunctionData({ abi: erc4626Abi, functionName: 'totalAssets' }) },
    { target, callData: encodeFunctionData({ abi: erc4626Abi, functionName: 'totalSupply' }) },
  ];
}

function readOfFeed(feed: PriceFeed): Read {
  return { target: feed.address, callData: latestRoundData };
}

/** Exactly one word: anything else is not an amount. */
const uintOf = (data: Hex | undefined): bigint | undefined =>
  data?.length === wordLength ? BigInt(data) : undefined;

function priceOf(feed: PriceFeed, data: Hex | undefined, t: number): number | undefined {
  if (data?.length !== 2 + 5 * 64) return undefined;
  const [, answer, , updatedAt] = decodeAbiParameters(feedAbi[0].outputs, data);
  const isStale = t - Number(updatedAt) > feed.heartbeatSeconds * staleHeartbeats;
  return answer > 0n && !isStale ? Number(answer) / 10 ** feedDecimals : undefined;
}

function usdPriceOf(
  { entry }: TrackedVault,
  prices: ReadonlyMap<string, number | undefined>,
): { priceUsd: number; priceSource: PriceSource } {
  const feed = findKnownAsset(entry.chainId, entry.asset.address)?.feed;
  const price = feed && prices.get(feed.address);
  if (price !== undefined) return { priceUsd: price, priceSource: priceSources.feed };
  return entry.facts.assetClass === 'fiat_stable'
    ? { priceUsd: 1, priceSource: priceSources.assumedPeg }
    : { priceUsd: 0, priceSource: priceSources.unknown };
}
