import { numberToHex, parseEther, type Address, type Hex } from 'viem';
import { localOperator } from './local-chain.js';

/** The one thing asked of a client: send a JSON-RPC request. Any viem client of an Anvil chain has it. */
export interface LocalNode {
  request(args: { method: string; params?: unknown }): Promise<unknown>;
}

// Below the gas limit that Osaka sets for one transaction (2^24), and enough for every step here.
const gasPerTransaction = 16_000_000n;

/** Let the local operator send transactions while something is done, with plenty of ether. */
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
