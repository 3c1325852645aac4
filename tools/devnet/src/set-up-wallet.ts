import { localContracts } from '@yield-vault/contracts';
import { localAddresses } from '@yield-vault/testing/local';
import { encodeInitializeAndApprove } from '@yield-vault/smart-account';
import {
  createPublicClient,
  createWalletClient,
  http,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import type { DevnetChain } from './types.js';

/**
 * Delegate a wallet to the account, by one type-4 transaction to itself.
 *
 * @param options.allowance - base units of USDC that the paymaster may take, if it is not ours
 */
export async function setUpWallet(
  chain: Pick<DevnetChain, 'rpcUrl' | 'chainId'> & Partial<Pick<DevnetChain, 'contracts'>>,
  wallet: PrivateKeyAccount,
  { allowance }: { readonly allowance?: bigint } = {},
): Promise<TransactionReceipt> {
  const { account, paymaster } = chain.contracts ?? localContracts(chain.chainId);
  const client = createWalletClient({ account: wallet, transport: http(chain.rpcUrl) });
  const authorization = await client.signAuthorization({ contractAddress: account, executor: 'self' });
  const hash = await client.sendTransaction({
    chain: null,
    to: wallet.address,
    authorizationList: [authorization],
    data:
      allowance === undefined
        ? '0x'
        : encodeInitializeAndApprove(wallet.address, {
            token: localAddresses[chain.chainId].usdc,
            spender: paymaster,
            amount: allowance,
          }),
  });
  const reader = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20 });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error('The setup reverted');
  return receipt;
}
