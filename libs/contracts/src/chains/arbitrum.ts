import { cheapGas, circlePaymasters, token, type ChainFacts } from './chain-facts.js';

/**
 * Arbitrum One. Tokens and feeds: bgd-labs/aave-address-book@f61c976, src/AaveV3Arbitrum.sol and ChainlinkArbitrum.sol,
 * and Bananapus/deploy-all-v6@316e9d4, script/Deploy.s.sol. Heartbeats, as published: Chainlink's
 * directory (feeds-ethereum-mainnet-arbitrum-1.json) in public reports of 2026-09-11 and 2026-10-02, one of them
 * TeraHashAlpha/teraswap, which measured 400 rounds. Sequencer: the address book, and smartcontractkit/documentation@59e5cde,
 * l2-sequencer-feeds.mdx. No `l1FeeOracle`: the L1 fee of Arbitrum is part of its gas. Paymaster: as for Base. DeFiLlama:
 * DefiLlama/yield-server@e638965, src/adaptors/utils.js.
 */
export const arbitrum: ChainFacts = {
  key: 'arbitrum',
  chainId: 42_161,
  name: 'Arbitrum One',
  explorerUrl: 'https://arbiscan.io',
  confirmations: 1,
  usdc: token('USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6, [
    '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3',
    255,
  ]),
  wrappedNative: token('WETH', '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 18, [
    '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612',
    1_755,
    'ETH',
  ]),
  tokens: [],
  sequencerFeed: '0xFdB631F5EE196F0ed6FAa767959853A9F217697D',
  ...cheapGas,
  // Unused gas costs nothing.
  setupGasLimit: 1_500_000n,
  circlePaymaster: circlePaymasters.main,
  entryPointCodeHash: '0x49684f00c804420e129bac03ca503baa5312db5c36f68767d393bc36dd58c4c9',
  defiLlama: { prices: 'arbitrum', yields: 'Arbitrum' },
};
