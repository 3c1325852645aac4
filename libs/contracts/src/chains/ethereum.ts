import type { ChainFacts } from './chain-facts.js';

/**
 * Ethereum. Feeds: bgd-labs/aave-address-book@f61c976, src/ChainlinkEthereum.sol; heartbeats:
 * smartcontractkit/documentation@211224b, public/files/json/feeds-mainnet.json.
 */
export const ethereum = {
  key: 'ethereum',
  chainId: 1,
  name: 'Ethereum',
  explorerUrl: 'https://etherscan.io',
  confirmations: 2,
  usdc: {
    symbol: 'USDC',
    address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    decimals: 6,
    price: {
      feed: '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
      description: 'USDC / USD',
      heartbeatSeconds: 82_800,
    },
  },
  wrappedNative: {
    symbol: 'WETH',
    address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    decimals: 18,
    price: {
      feed: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
      description: 'ETH / USD',
      heartbeatSeconds: 3_600,
    },
  },
  tokens: [
    {
      symbol: 'USDT',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      decimals: 6,
      price: {
        feed: '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
        description: 'USDT / USD',
        heartbeatSeconds: 86_400,
      },
    },
    {
      symbol: 'DAI',
      address: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
      decimals: 18,
      price: {
        feed: '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9',
        description: 'DAI / USD',
        heartbeatSeconds: 3_600,
      },
    },
    {
      symbol: 'USDS',
      address: '0xdC035D45d973E3EC169d2276DDab16f1e407384F',
      decimals: 18,
      price: {
        feed: '0xfF30586cD0F29eD462364C7e81375FC0C71219b1',
        description: 'USDS / USD',
        heartbeatSeconds: 82_800,
      },
    },
    {
      symbol: 'PYUSD',
      address: '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8',
      decimals: 6,
      price: {
        feed: '0x8f1dF6D7F2db73eECE86a18b4381F4707b918FB1',
        description: 'PYUSD / USD',
        heartbeatSeconds: 86_400,
      },
    },
    {
      symbol: 'cbBTC',
      address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
      decimals: 8,
      price: {
        feed: '0x2665701293fCbEB223D11A08D826563EDcCE423A',
        description: 'cbBTC / USD',
        heartbeatSeconds: 86_400,
      },
    },
    {
      symbol: 'EURC',
      address: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
      decimals: 6,
      price: {
        feed: '0x04F84020Fdf10d9ee64D1dcC2986EDF2F556DA11',
        description: 'EURC / USD',
        heartbeatSeconds: 86_400,
      },
    },
  ],
  circlePaymaster: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  allowanceCap: 500_000_000n,
  entryPointCodeHash: '0x44e632a24c6f2600cbd5b5b8b4c2d372359112c8b5774297f5fd0a9e64f11f86',
  paymaster: {
    nativeUsd: { least: 100_00000000n, most: 100_000_00000000n },
    maxAgeSeconds: 3_600,
    markupBps: 500,
    operationCeiling: 250_000_000n,
    highestCeiling: 1_000_000_000n,
  },
  gasLimits: {
    maxGasUsdc: 250_000_000n,
    maxFeePerGas: 60_000_000_000n,
    maxPriorityFeePerGas: 3_000_000_000n,
    maxL1FeeWei: 0n,
  },
  defiLlama: { prices: 'ethereum', yields: 'Ethereum' },
} as const satisfies ChainFacts;
