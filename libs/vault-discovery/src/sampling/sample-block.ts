import { encodeFunctionData, erc4626Abi, type Hex, type PublicClient } from 'viem';
import type { CheckedEntry, TrackedVault } from '../catalogue/check-vaults.js';
import { extraProbeDecimals, priceSources, type Snapshot } from '../ports.js';
import { snapshotOrigins } from '@yield-vault/vault-metrics';
import type { AssetPrice, Pricer } from '../prices/priced-assets.js';
import type { Header } from '../chain/block-finder.js';
import { type Batch, type Read, readBatches, toAmount, toBatches } from '../chain/read-contracts.js';

const readsPerVault = 3;
const unpriced: AssetPrice = { usd: 0, source: priceSources.unknown };

/** The reads of a sample, encoded once for many blocks. */
export interface SamplePlan {
  readonly vaults: readonly TrackedVault[];
  readonly pricer: Pricer;
  readonly batches: readonly Batch[];
}

/** The result of a sample at one block. */
export interface Sample {
  readonly header: Header;
  readonly snapshots: readonly Snapshot[];
  /** Prices of the plan's assets, by address in lower case. */
  readonly prices: ReadonlyMap<string, AssetPrice>;
}

/** Plan to measure vaults and price their assets, in one call as long as that fits into a batch. */
export function planSample(vaults: readonly TrackedVault[], pricer: Pricer): SamplePlan {
  const reads = [...vaults.flatMap(readsOf), ...pricer.reads()];
  return { vaults, pricer, batches: toBatches(reads) };
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
  const ofVaults = vaults.length * readsPerVault;
  const prices = await pricer.prices(header, results.slice(ofVaults));
  const snapshots: Snapshot[] = [];

  vaults.forEach((vault, index) => {
    const first = index * readsPerVault;
    const [sharePrice, totalAssets, totalSupply] = results.slice(first, first + readsPerVault).map(toAmount);
    if (sharePrice === undefined || totalAssets === undefined || totalSupply === undefined) return;
    const price = prices.get(vault.entry.asset.address.toLowerCase()) ?? unpriced;
    snapshots.push({
      vault: vault.id,
      t: header.t,
      block: BigInt(header.number),
      origin: snapshotOrigins.chain,
      sharePrice,
      totalAssets,
      totalSupply,
      priceUsd: price.usd,
      priceSource: price.source,
    });
  });
  return { header, snapshots, prices };
}

// Encoded once: thousands of vaults share a few.
const totalAssetsCall = encodeFunctionData({ abi: erc4626Abi, functionName: 'totalAssets' });
const totalSupplyCall = encodeFunctionData({ abi: erc4626Abi, functionName: 'totalSupply' });
const sharePriceCalls = new Map<number, Hex>();

function sharePriceCall(shareDecimals: number): Hex {
  const args = [10n ** BigInt(shareDecimals + extraProbeDecimals)] as const;
  const callData =
    sharePriceCalls.get(shareDecimals) ??
    encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args });
  sharePriceCalls.set(shareDecimals, callData);
  return callData;
}

/** The reads of a vault. One that fails one of them gives no snapshot. */
const readsOf = ({ entry: { address }, shareDecimals }: CheckedEntry): Read[] =>
  [sharePriceCall(shareDecimals), totalAssetsCall, totalSupplyCall].map((callData) => ({
    target: address,
    callData,
  }));
