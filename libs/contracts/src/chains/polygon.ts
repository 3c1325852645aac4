import { cheapGas, circlePaymasters, token, type ChainFacts } from './chain-facts.js';

/**
 * Polygon PoS. Tokens and feeds: bgd-labs/aave-address-book@f61c976, src/AaveV3Polygon.sol and ChainlinkPolygon.sol, and
 * DefiLens/Interface, utils/data/ConstantInfo/priceFeed.ts. The feed of POL still calls itself MATIC. Heartbeats:
 * Chainlink's directory (feeds-matic-mainnet.json) says 27 in public reports of 2026, which measured rounds every 60
 * seconds. Paymaster: as for Base. DeFiLlama: DefiLlama/yield-server@e638965, src/adaptors/utils.js.
 */
export const polygon: ChainFacts = {
  key: 'polygon',
  chainId: 137,
  name: 'Polygon',
  explorerUrl: 'https://polygonscan.com',
  confirmations: 16,
  usdc: token('USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6, [
    '0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7',
    60,
  ]),
  wrappedNative: token('WPOL', '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 18, [
    '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0',
    60,
    'MATIC',
  ]),
  tokens: [],
  ...cheapGas,
  paymaster: { ...cheapGas.paymaster, nativeUsd: { least: 1_000000n, most: 100_00000000n } },
  // POL is cheap, and gas is priced in hundreds of gwei.
  gasLimits: {
    maxEthUsd: 5,
    maxFeePerGas: 2_000_000_000_000n,
    maxPriorityFeePerGas: 500_000_000_000n,
    maxSetupFeeWei: 10n ** 18n,
  },
  circlePaymaster: circlePaymasters.main,
  entryPointCodeHash: '0x9b02bddddb9413003580adbd2343b5c0338451e96810228aa8a6903d352169cb',
  defiLlama: { prices: 'polygon', yields: 'Polygon' },
  x402Network: 'polygon',
};
