import { localContracts } from '@yield-vault/contracts';
import { localAddresses } from '@yield-vault/testing/local';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import {
  createPublicClient,
  createWalletClient,
  http,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import type { DevnetChain } from './types.js';

/**
 * Delegate a wallet to the account and allow its paymaster USDC, by one type-4 transaction to itself.
 *
 * @param chain.contracts - the local contracts by default
 * @param options.allowance - base units of USDC that the paymaster may take
 */
export async function setUpWallet(
  chain: Pick<DevnetChain, 'rpcUrl' | 'chainId'> & Partial<Pick<DevnetChain, 'contracts'>>,
  wallet: PrivateKeyAccount,
  { allowance = 100_000_000n }: { readonly allowance?: bigint } = {},
): Promise<TransactionReceipt> {
  const { account, paymaster } = chain.contracts ?? localContracts;
  const client = createWalletClient({ account: wallet, transport: http(chain.rpcUrl) });
  const authorization = await client.signAuthorization({ contractAddress: account, executor: 'self' });
  const hash = await client.sendTransaction({
    chain: null,
    to: wallet.address,
    authorizationList: [authorization],
    data: encodeInitializeAccount({
      token: localAddresses[chain.chainId].usdc,
      paymaster,
      allowance,
    }),
  });
  const reader = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20 });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error('The setup reverted');
  return receipt;
}
