import { encodeAbiParameters, keccak256, numberToHex, type Address } from 'viem';
import { localAddresses, type LocalChainId } from './local-chain.js';
import type { LocalNode } from './local-node.js';

const balanceSlot = 9n;

/**
 * Let a wallet have so much of the local USDC, whatever it had. The supply stays as it is, and a wallet that was
 * blacklisted no longer is.
 *
 * @param baseUnits 6 decimals.
 */
export async function setLocalUsdcBalance(
  node: LocalNode,
  chainId: LocalChainId,
  wallet: Address,
  baseUnits: bigint,
): Promise<void> {
  const key = encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [wallet, balanceSlot]);
  const params = [localAddresses[chainId].usdc, keccak256(key), numberToHex(baseUnits, { size: 32 })];
  await node.request({ method: 'anvil_setStorageAt', params });
}
