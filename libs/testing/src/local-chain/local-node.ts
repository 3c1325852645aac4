import { encodeAbiParameters, keccak256, numberToHex, parseEther, type Address, type Hex } from 'viem';
import { localAddresses, localOperator, type LocalChainId } from './local-chain.js';

/** A client that sends JSON-RPC requests. Any viem client of an Anvil chain fits. */
export interface LocalNode {
  request(args: { method: string; params?: unknown }): Promise<unknown>;
}

// Below the gas limit that Osaka sets for one transaction (2^24), and enough for every step here.
const gasPerTransaction = 16_000_000n;

/** Run something while the node impersonates the local operator, who gets a million ether. */
export async function asLocalOperator(node: LocalNode, run: () => Promise<void>): Promise<void> {
  await node.request({ method: 'anvil_impersonateAccount', params: [localOperator] });
  const params = [localOperator, numberToHex(parseEther('1000000'))];
  await node.request({ method: 'anvil_setBalance', params });
  await run();
  await node.request({ method: 'anvil_stopImpersonatingAccount', params: [localOperator] });
}

/**
 * Send a transaction of the impersonated operator and wait for its receipt.
 *
 * @throws {Error} When it reverts.
 */
export async function sendAsLocalOperator(
  node: LocalNode,
  to: Address,
  data: Hex,
  value = 0n,
): Promise<void> {
  const transaction = {
    from: localOperator,
    to,
    data,
    value: numberToHex(value),
    gas: numberToHex(gasPerTransaction),
  };
  const receipt = (await node.request({ method: 'eth_sendTransactionSync', params: [transaction] })) as {
    status: Hex;
    transactionHash: Hex;
  };
  if (receipt.status !== '0x1') {
    throw new Error(`Provisioning failed: the transaction ${receipt.transactionHash} to ${to} reverted`);
  }
}

const balanceSlot = 9n;

/**
 * Set the local USDC balance of a wallet. The supply stays as it is. A blacklisted wallet is no longer blacklisted.
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
