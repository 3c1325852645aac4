import { circlePaymasters, expensiveGas, token, type ChainFacts } from './chain-facts.js';

/**
 * Ethereum. Feeds: bgd-labs/aave-address-book@f61c976, src/ChainlinkEthereum.sol, and, with heartbeats,
 * smartcontractkit/documentation@211224b, public/files/json/feeds-mainnet.json. Paymaster:
 * developers.circle.com/paymaster, and cipherwebllc/openpay@049827b, lib/circlePaymaster.ts. Morpho: morpho-org/sdks,
 * packages/morpho-ts/src/addresses.ts, and docs.morpho.org/get-started/resources/addresses.
 */
export const ethereum: ChainFacts = {
  key: 'ethereum',
  chainId: 1,
  name: 'Ethereum',
  explorerUrl: 'https://etherscan.io',
  confirmations: 2,
  usdc: token('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6, [
    '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
    82_800,
  ]),
  wrappedNative: token('WETH', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 18, [
    '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
    3_600,
    'ETH',
  ]),
  tokens: [
    token('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6, [
      '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
      86_400,
    ]),
    token('DAI', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 18, [
      '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9',
      3_600,
    ]),
    token('USDS', '0xdC035D45d973E3EC169d2276DDab16f1e407384F', 18, [
      '0xfF30586cD0F29eD462364C7e81375FC0C71219b1',
      82_800,
    ]),
    token('PYUSD', '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8', 6, [
      '0x8f1dF6D7F2db73eECE86a18b4381F4707b918FB1',
      86_400,
    ]),
    token('cbBTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8, [
      '0x2665701293fCbEB223D11A08D826563EDcCE423A',
      86_400,
    ]),
    token('EURC', '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', 6, [
      '0x04F84020Fdf10d9ee64D1dcC2986EDF2F556DA11',
      86_400,
    ]),
  ],
  ...expensiveGas,
  circlePaymaster: circlePaymasters.main,
  entryPointCodeHash: '0x44e632a24c6f2600cbd5b5b8b4c2d372359112c8b5774297f5fd0a9e64f11f86',
  defiLlama: { prices: 'ethereum', yields: 'Ethereum' },
};
