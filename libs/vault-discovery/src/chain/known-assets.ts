import { canonical } from '@yield-vault/contracts';
import { isAddressEqual, type Address } from 'viem';

/** A Chainlink-style feed of a USD price. */
export interface PriceFeed {
  readonly address: Address;
  /** Longest time between two rounds, in seconds. */
  readonly heartbeatSeconds: number;
}

/** What is known of an asset by its contract: assets are never told apart by their symbol. */
export interface KnownAsset {
  readonly feed: PriceFeed;
  /** Storage slots of the balance and allowance mappings, to simulate a holder. */
  readonly balanceSlot: bigint;
  readonly allowanceSlot: bigint;
  /** Base units that a simulated deposit takes. */
  readonly probeAmount: bigint;
}

type KnownChainId = keyof typeof canonical.usdc;

const usdcUsd: Readonly<Record<KnownChainId, PriceFeed>> = {
  1: { address: canonical.usdcUsdFeed[1], heartbeatSeconds: 86_400 },
  8453: { address: canonical.usdcUsdFeed[8453], heartbeatSeconds: 86_400 },
};
const ethUsd: Readonly<Record<KnownChainId, PriceFeed>> = {
  1: { address: canonical.ethUsdFeed[1], heartbeatSeconds: 3_600 },
  8453: { address: canonical.ethUsdFeed[8453], heartbeatSeconds: 1_200 },
};

/** Look an asset up by chain and contract. */
export function findKnownAsset(chainId: number, asset: Address): KnownAsset | undefined {
  if (!(chainId in canonical.usdc)) return undefined;
  const known = chainId as KnownChainId;
  if (isAddressEqual(asset, canonical.usdc[known]))
    return { feed: usdcUsd[known], balanceSlot: 9n, allowanceSlot: 10n, probeAmount: 10_000_000n };
  if (isAddressEqual(asset, canonical.weth[known]))
    return { feed: ethUsd[known], balanceSlot: 3n, allowanceSlot: 4n, probeAmount: 10n ** 16n };
  return undefined;
}
