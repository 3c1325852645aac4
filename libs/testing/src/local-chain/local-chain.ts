import { chainFacts } from '@yield-vault/contracts';
import type { Address } from 'viem';
import data from './local-vaults.json' with { type: 'json' };

type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** Chain ids of a local chain, which replaces a real one: those that `local-vaults.json` has vaults for. */
export type LocalChainId = NumberIn<keyof typeof data>;

export const localChainIds = Object.keys(data).map(Number) as readonly LocalChainId[];

/** Build a value for each local chain. */
export function ofLocalChains<Value>(
  build: (chainId: LocalChainId) => Value,
): Readonly<Record<LocalChainId, Value>> {
  const values = localChainIds.map((chainId) => [chainId, build(chainId)]);
  return Object.fromEntries(values) as Record<LocalChainId, Value>;
}

/**
 * Holds every role of the local USDC and owns nothing else. Nobody has its key: a local node impersonates it.
 */
export const localOperator: Address = '0x00000000000000000000000000000000000a11ce';

/** The code behind the proxy of the local USDC, at the address that it has on Base. */
export const localUsdcImplementation: Address = '0x2Ce6311ddAE708829bc0784C967b7d77D19FD779';

/** Prices the local feeds start with, 8 decimals. */
export const localPrices = { ethUsd: 3_200_00000000n, usdcUsd: 1_00000000n } as const;

/** Symbol and decimals of the assets that local vaults hold. */
export const localAssets = {
  USDC: { symbol: 'USDC', decimals: 6 },
  WETH: { symbol: 'WETH', decimals: 18 },
} as const;

export type LocalAssetSymbol = keyof typeof localAssets;

/** Where the local contracts stand: the addresses that they have on the real chain. */
export interface LocalAddresses {
  readonly usdc: Address;
  readonly weth: Address;
  readonly ethUsdFeed: Address;
  readonly usdcUsdFeed: Address;
  /** Only on an L2. */
  readonly sequencerFeed?: Address;
}

function addressesOf(chainId: LocalChainId): LocalAddresses {
  const { usdc, wrappedNative, sequencerFeed } = chainFacts(chainId);
  return {
    usdc: usdc.address,
    weth: wrappedNative.address,
    ethUsdFeed: wrappedNative.price.feed,
    usdcUsdFeed: usdc.price.feed,
    ...(sequencerFeed && { sequencerFeed }),
  };
}

export const localAddresses = ofLocalChains(addressesOf);
