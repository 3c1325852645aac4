import { createPublicClient, erc20Abi, http, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { CreateAgent } from './agent.js';

/** An agent that knows viem and nothing else. */
export const createViemAgent: CreateAgent = async (rpcUrl) => createViemAgentOf(generatePrivateKey(), rpcUrl);

/** The same, of a given key. */
export async function createViemAgentOf(privateKey: Hex, rpcUrl: string) {
  const account = privateKeyToAccount(privateKey);
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
  const chainId = await client.getChainId();

  return {
    address: account.address,
    signIntent: ({ domain, primaryType, types, message }) =>
      account.signTypedData({
        domain,
        primaryType,
        types: { Intent: [...types.Intent] },
        message: { ...message, chainId: BigInt(message.chainId) },
      }),
    signSetup: async ({ authorization, initCalldata, to, gas }) => {
      const nonce = await client.getTransactionCount({ address: account.address });
      const transaction = {
        chainId,
        nonce,
        to,
        data: initCalldata,
        gas: BigInt(gas.gasLimit),
        maxFeePerGas: BigInt(gas.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
      };
      if (!authorization) return account.signTransaction({ ...transaction, type: 'eip1559' });
      // The sender's own nonce is counted up before the authorization is looked at.
      const authorized = await account.signAuthorization({ ...authorization, nonce: nonce + 1 });
      return account.signTransaction({ ...transaction, type: 'eip7702', authorizationList: [authorized] });
    },
    shareBalance: (vaultAddress) =>
      client.readContract({
        address: vaultAddress as Address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [account.address],
      }),
  } satisfies Awaited<ReturnType<CreateAgent>>;
}
