import { cheapGas, circlePaymasters, opStack, token, type ChainFacts } from './chain-facts.js';

/**
 * Base. Feeds: bgd-labs/aave-address-book@f61c976, src/ChainlinkBase.sol, and Bananapus/deploy-all-v6@316e9d4,
 * script/Deploy.s.sol. Heartbeats: LZeroAnalytics/chainlink-package@7f3e48a, src/package_io/constants.star, and
 * Chainlink's directory (feeds-ethereum-mainnet-base-1.json) in public reports of September 2026. It lists `ETH / USD`
 * there by its SVR variants alone; the standard proxy still has rounds. Sequencer: the address book, and
 * smartcontractkit/documentation@59e5cde, l2-sequencer-feeds.mdx. Paymaster: developers.circle.com/paymaster, and
 * cipherwebllc/openpay@049827b, lib/circlePaymaster.ts. Morpho: morpho-org/sdks,
 * packages/morpho-ts/src/addresses.ts, and docs.morpho.org/get-started/resources/addresses.
 */
export const base: ChainFacts = {
  key: 'base',
  chainId: 8453,
  name: 'Base',
  explorerUrl: 'https://basescan.org',
  confirmations: 1,
  usdc: token('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6, [
    '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
    86_400,
  ]),
  wrappedNative: token('WETH', '0x4200000000000000000000000000000000000006', 18, [
    '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    1_200,
    'ETH',
  ]),
  tokens: [
    token('cbBTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8, [
      '0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D',
      1_200,
    ]),
    token('EURC', '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', 6, [
      '0xDAe398520e2B67cd3f27aeF9Cf14D93D927f8250',
      86_400,
    ]),
  ],
  sequencerFeed: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433',
  ...opStack,
  ...cheapGas,
  circlePaymaster: circlePaymasters.main,
  entryPointCodeHash: '0x28f989233f4ffb52e4b168fb74df5dfa52fe0f846141774f5abc56c5604d8e46',
  defiLlama: { prices: 'base', yields: 'Base' },
  x402Network: 'base',
};
