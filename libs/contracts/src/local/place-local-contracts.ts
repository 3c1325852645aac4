import { numberToHex, pad, type Address, type Hex } from 'viem';
import { canonical } from '../address-book.js';
import { localMulticall3DeployedBytecode } from '../generated/LocalMulticall3.js';
import { localPriceFeedDeployedBytecode } from '../generated/LocalPriceFeed.js';
import { localUsdcDeployedBytecode } from '../generated/LocalUsdc.js';
import { localWethDeployedBytecode } from '../generated/LocalWeth.js';
import { localAddresses, localOperator, type LocalChainId } from './local-chain.js';
import type { LocalNode } from './local-node.js';

/**
 * Put USDC, WETH, Multicall3 and price feeds at their canonical addresses of an Anvil: nobody holds a token, every role
 * of USDC is the local operator's, and the feeds have no price.
 */
export async function placeLocalContracts(node: LocalNode, chainId: LocalChainId): Promise<void> {
  const { usdc, weth, ethUsdFeed, usdcUsdFeed } = localAddresses[chainId];
  const code: readonly (readonly [Address, Hex])[] = [
    [usdc, localUsdcDeployedBytecode],
    [weth, localWethDeployedBytecode],
    [ethUsdFeed, localPriceFeedDeployedBytecode],
    [usdcUsdFeed, localPriceFeedDeployedBytecode],
    [canonical.multicall3, localMulticall3DeployedBytecode],
  ];
  for (const params of code) await node.request({ method: 'anvil_setCode', params });
  // owner, pauser, blacklister and masterMinter
  for (const slot of [0n, 1n, 2n, 8n]) {
    const params = [usdc, numberToHex(slot, { size: 32 }), pad(localOperator)];
    await node.request({ method: 'anvil_setStorageAt', params });
  }
}
