import { erc20Abi, type Address, type PublicClient } from 'viem';

/** Read a token balance, in base units. */
export function readUsdc(client: PublicClient, token: Address, address: Address): Promise<bigint> {
  return client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
}
