import { circlePaymasters, expensiveGas, token, type ChainFacts } from './chain-facts.js';

/**
 * Sepolia. Feeds and heartbeats: Bananapus/deploy-all-v6@316e9d4, script/Deploy.s.sol, and Chainlink's directory
 * (feeds-ethereum-testnet-sepolia.json) in public reports of 2026. WETH: Uniswap's and Wormhole's. Name of USDC:
 * DROOdotFOO/raxol, pull request 261, which read it on chain, as x402 has it for Base Sepolia. Paymaster: as for Base.
 */
export const sepolia: ChainFacts = {
  key: 'sepolia',
  chainId: 11_155_111,
  name: 'Sepolia',
  explorerUrl: 'https://sepolia.etherscan.io',
  isTestnet: true,
  confirmations: 2,
  usdc: token('USDC', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 6, [
    '0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E',
    86_400,
  ]),
  usdcName: 'USDC',
  wrappedNative: token('WETH', '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', 18, [
    '0x694AA1769357215DE4FAC081bf1f309aDC325306',
    3_600,
    'ETH',
  ]),
  tokens: [],
  ...expensiveGas,
  circlePaymaster: circlePaymasters.test,
  entryPointCodeHash: '0xe07af503ad1c64355b712a3fba2341cb6cf83a62fa80b23469c2a283c12dd7d5',
};
