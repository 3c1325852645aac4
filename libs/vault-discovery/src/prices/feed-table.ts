import { chainFacts } from '@yield-vault/contracts';
import type { Address } from 'viem';

/** A Chainlink feed of the USD price of an asset. */
export interface PriceFeed {
  readonly asset: Address;
  readonly feed: Address;
  /** Description of the feed on chain; a feed with another one is not used. */
  readonly pair: string;
  /** Longest time between two rounds, in seconds. */
  readonly heartbeatSeconds: number;
}

const cbBtc = '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf';
const eurc = {
  1: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
  8453: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
} as const;

/**
 * Feeds by chain id. Addresses: bgd-labs/aave-address-book@f61c976, src/ChainlinkEthereum.sol and ChainlinkBase.sol.
 * Heartbeats of Ethereum: smartcontractkit/documentation@211224b, public/files/json/feeds-mainnet.json; of Base:
 * data.chain.link as repeated by public reports of 2026. Assets without their own feed are left out: the price of a peg
 * is not the price of the asset.
 */
export const feedTable: Readonly<Record<number, readonly PriceFeed[]>> = {
  1: [
    feed(chainFacts(1).usdc.address, chainFacts(1).usdc.price.feed, 'USDC / USD', 82_800),
    feed(chainFacts(1).wrappedNative.address, chainFacts(1).wrappedNative.price.feed, 'ETH / USD', 3_600),
    feed(
      '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
      'USDT / USD',
      86_400,
    ),
    feed(
      '0x6B175474E89094C44Da98b954EedeAC495271d0F',
      '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9',
      'DAI / USD',
      3_600,
    ),
    feed(
      '0xdC035D45d973E3EC169d2276DDab16f1e407384F',
      '0xfF30586cD0F29eD462364C7e81375FC0C71219b1',
      'USDS / USD',
      82_800,
    ),
    feed(
      '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8',
      '0x8f1dF6D7F2db73eECE86a18b4381F4707b918FB1',
      'PYUSD / USD',
      86_400,
    ),
    feed(cbBtc, '0x2665701293fCbEB223D11A08D826563EDcCE423A', 'cbBTC / USD', 86_400),
    feed(eurc[1], '0x04F84020Fdf10d9ee64D1dcC2986EDF2F556DA11', 'EURC / USD', 86_400),
  ],
  8453: [
    feed(chainFacts(8453).usdc.address, chainFacts(8453).usdc.price.feed, 'USDC / USD', 86_400),
    feed(
      chainFacts(8453).wrappedNative.address,
      chainFacts(8453).wrappedNative.price.feed,
      'ETH / USD',
      1_200,
    ),
    feed(cbBtc, '0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D', 'cbBTC / USD', 1_200),
    feed(eurc[8453], '0xDAe398520e2B67cd3f27aeF9Cf14D93D927f8250', 'EURC / USD', 86_400),
  ],
};

function feed(asset: Address, address: Address, pair: string, heartbeatSeconds: number): PriceFeed {
  return { asset, feed: address, pair, heartbeatSeconds };
}
