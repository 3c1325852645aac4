import { createPublicClient, erc20Abi, http, numberToHex, type Address } from 'viem';

/** Set the balance of any token, by a cheat of Anvil. */
export async function setBalance(rpcUrl: string, token: Address, wallet: Address, balance: bigint) {
  const params = [wallet, token, numberToHex(balance)];
  const client = createPublicClient({ transport: http(rpcUrl) });
  await client.request({ method: 'anvil_dealERC20', params } as never);
}

/** Add to the balance of any token. */
export async function deal(rpcUrl: string, token: Address, wallet: Address, amount: bigint): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const held = await client.readContract({
    ...{ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] },
  });
  await setBalance(rpcUrl, token, wallet, held + amount);
}
