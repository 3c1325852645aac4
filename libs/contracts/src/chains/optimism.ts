import { cheapGas, circlePaymasters, opStack, token, type ChainFacts } from './chain-facts.js';

/**
 * OP Mainnet. Tokens and feeds: bgd-labs/aave-address-book@f61c976, src/AaveV3Optimism.sol and ChainlinkOptimism.sol, and
 * Bananapus/deploy-all-v6@316e9d4, script/Deploy.s.sol. Heartbeats: LZeroAnalytics/chainlink-package@7f3e48a,
 * src/package_io/constants.star, and Chainlink's directory (feeds-ethereum-mainnet-optimism-1.json) in public reports of
 * 2026. Sequencer: the address book, and smartcontractkit/documentation@59e5cde, l2-sequencer-feeds.mdx. Paymaster: as for
 * Base. DeFiLlama: DefiLlama/yield-server@e638965, src/adaptors/utils.js.
 */
export const optimism: ChainFacts = {
  key: 'optimism',
  chainId: 10,
  name: 'OP Mainnet',
  explorerUrl: 'https://optimistic.etherscan.io',
  confirmations: 1,
  usdc: token('USDC', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 6, [
    '0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3',
    86_400,
  ]),
  wrappedNative: token('WETH', '0x4200000000000000000000000000000000000006', 18, [
    '0x13e3Ee699D1909E989722E753853AE30b17e08c5',
    1_200,
    'ETH',
  ]),
  tokens: [],
  sequencerFeed: '0x371EAD81c9102C9BF4874A9075FFFf170F2Ee389',
  ...opStack,
  ...cheapGas,
  circlePaymaster: circlePaymasters.main,
  entryPointCodeHash: '0x49ff5c033c81f4ebe0467c1127c9a6c6f3ad1837405c199bea9b494fee621c04',
  defiLlama: { prices: 'optimism', yields: 'OP Mainnet' },
};
