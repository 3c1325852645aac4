import type { ChainFacts } from './chain-facts.js';

/**
 * Base. Feeds: bgd-labs/aave-address-book@f61c976, src/ChainlinkBase.sol; heartbeats: data.chain.link, as repeated by
 * public reports of 2026.
 */
export const base = {
  key: 'base',
  chainId: 8453,
  name: 'Base',
  explorerUrl: 'https://basescan.org',
  confirmations: 1,
  usdc: {
    symbol: 'USDC',
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    price: {
      feed: '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
      description: 'USDC / USD',
      heartbeatSeconds: 86_400,
    },
  },
  wrappedNative: {
    symbol: 'WETH',
    address: '0x4200000000000000000000000000000000000006',
    decimals: 18,
    price: {
      feed: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
      description: 'ETH / USD',
      heartbeatSeconds: 1_200,
    },
  },
  tokens: [
    {
      symbol: 'cbBTC',
      address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
      decimals: 8,
      price: {
        feed: '0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D',
        description: 'cbBTC / USD',
        heartbeatSeconds: 1_200,
      },
    },
    {
      symbol: 'EURC',
      address: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
      decimals: 6,
      price: {
        feed: '0xDAe398520e2B67cd3f27aeF9Cf14D93D927f8250',
        description: 'EURC / USD',
        heartbeatSeconds: 86_400,
      },
    },
  ],
  sequencerFeed: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433',
  l1FeeOracle: '0x420000000000000000000000000000000000000F',
  circlePaymaster: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  allowanceCap: 100_000_000n,
  entryPointCodeHash: '0x28f989233f4ffb52e4b168fb74df5dfa52fe0f846141774f5abc56c5604d8e46',
  paymaster: {
    nativeUsd: { least: 100_00000000n, most: 100_000_00000000n },
    maxAgeSeconds: 1_800,
    markupBps: 500,
    operationCeiling: 10_000_000n,
    highestCeiling: 50_000_000n,
  },
  defiLlama: { prices: 'base', yields: 'Base' },
  x402Network: 'base',
} as const satisfies ChainFacts;
