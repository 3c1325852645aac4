import { Contract, JsonRpcProvider, Wallet, type TypedDataField } from 'ethers';
import type { CreateAgent } from './agent.js';

/** An agent that knows ethers v6 and nothing else. */
export const createEthersAgent: CreateAgent = async (rpcUrl) => {
  const provider = new JsonRpcProvider(rpcUrl, undefined, { cacheTimeout: -1 });
  const wallet = new Wallet(Wallet.createRandom().privateKey, provider);
  const { chainId } = await provider.getNetwork();

  return {
    address: wallet.address,
    signIntent: ({ domain, types, message }) =>
      wallet.signTypedData(
        domain,
        { Intent: types.Intent.map((field): TypedDataField => ({ ...field })) },
        message,
      ),
    signSetup: async ({ authorization, initCalldata, to, gas }) => {
      const nonce = await provider.getTransactionCount(wallet.address);
      const transaction = {
        chainId,
        nonce,
        to,
        data: initCalldata,
        gasLimit: BigInt(gas.gasLimit),
        maxFeePerGas: BigInt(gas.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
      };
      if (!authorization) return wallet.signTransaction({ ...transaction, type: 2 });
      // The sender's own nonce is counted up before the authorization is looked at.
      const authorized = await wallet.authorize({
        address: authorization.contractAddress,
        chainId: authorization.chainId,
        nonce: nonce + 1,
      });
      return wallet.signTransaction({ ...transaction, type: 4, authorizationList: [authorized] });
    },
    shareBalance: async (vaultAddress) => {
      const vault = new Contract(
        vaultAddress,
        ['function balanceOf(address) view returns (uint256)'],
        provider,
      );
      return (await vault.getFunction('balanceOf')(wallet.address)) as bigint;
    },
  };
};
