import { localAddressBook } from '@yield-vault/agent-client';
import { toYieldVaultSmartAccount, usdcPaymaster } from '@yield-vault/agent-client/viem';
import { encodeAccountCall, type ExecutorHook } from '@yield-vault/smart-account';
import { localAddresses } from '@yield-vault/testing/local';
import { createPublicClient, http, type Address, type Hex, type PrivateKeyAccount } from 'viem';
import { createBundlerClient, type UserOperationReceipt } from 'viem/account-abstraction';
import type { DevnetChain } from './types.js';

/** Most that gas may cost, in base units of USDC. */
const maxGasUsdc = 50_000_000n;

interface PriceRequest {
  Method: 'pimlico_getUserOperationGasPrice';
  Parameters: [];
  ReturnType: { standard: { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex } };
}

/** Deposit USDC of a set-up wallet through the bundler, its gas paid in USDC. */
export function depositThroughBundler(
  chain: DevnetChain,
  wallet: PrivateKeyAccount,
  vault: Address,
  amount: bigint,
): Promise<UserOperationReceipt> {
  const token = localAddresses[chain.chainId].usdc;
  return runThroughBundler(chain, wallet, [{ hook: 'deposit', vault, token, amount, minShares: 1n }]);
}

/** Run hooks of a set-up wallet through the bundler, its gas paid in USDC to our paymaster. */
export async function runThroughBundler(
  chain: DevnetChain,
  wallet: PrivateKeyAccount,
  hooks: readonly ExecutorHook[],
): Promise<UserOperationReceipt> {
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const bundler = createBundlerClient({
    account: await toYieldVaultSmartAccount({
      client,
      owner: wallet,
      addressBook: localAddressBook,
      maxGasUsdc,
    }),
    client,
    transport: http(chain.bundlerUrl),
    pollingInterval: 50,
    paymaster: usdcPaymaster({ addressBook: localAddressBook, maxGasUsdc }),
  });
  const { standard: fees } = await bundler.request<PriceRequest>({
    method: 'pimlico_getUserOperationGasPrice',
    params: [],
  });
  const hash = await bundler.sendUserOperation({
    calls: [{ to: wallet.address, data: encodeAccountCall(hooks) }],
    maxFeePerGas: BigInt(fees.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
  });
  return bundler.waitForUserOperationReceipt({ hash, timeout: 10_000 });
}
