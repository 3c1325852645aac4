import { cheapGas, circlePaymasters, opStack, token, type ChainFacts } from './chain-facts.js';

/**
 * Base Sepolia. Feeds: bgd-labs/aave-address-book@f61c976, src/AaveV3BaseSepolia.sol, and Bananapus/deploy-all-v6@316e9d4,
 * script/Deploy.s.sol. Heartbeats: the latter, and Chainlink's directory (feeds-ethereum-testnet-sepolia-base-1.json) in
 * public reports of 2026. Name of USDC: @x402/evm 2.27.0, and DROOdotFOO/raxol, pull request 261, which read it on chain.
 * Paymaster: as for Base.
 */
export const baseSepolia: ChainFacts = {
  key: 'base-sepolia',
  chainId: 84_532,
  name: 'Base Sepolia',
  explorerUrl: 'https://sepolia.basescan.org',
  isTestnet: true,
  confirmations: 1,
  usdc: token('USDC', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 6, [
    '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165',
    86_400,
  ]),
  usdcName: 'USDC',
  wrappedNative: token('WETH', '0x4200000000000000000000000000000000000006', 18, [
    '0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1',
    1_200,
    'ETH',
  ]),
  tokens: [],
  ...opStack,
  ...cheapGas,
  circlePaymaster: circlePaymasters.test,
  entryPointCodeHash: '0xa06a3208a3f27999ffae96d26acf86a40a16e582c5467513cbf2c7e96e68029c',
  x402Network: 'base-sepolia',
};
