import { entryPointV08Abi, localContracts } from '@yield-vault/contracts';
import { signIntent } from '@yield-vault/agent-client';
import { buildIntentEnvelope } from '@yield-vault/testing';
import { localAddresses } from '@yield-vault/testing/local';
import type { UserOperation } from '@yield-vault/protocol';
import {
  encodeAccountCall,
  encodeGasGrant,
  encodeIntentSignature,
  nonceKey,
  stubIntentSignature,
  type ExecutorHook,
} from '@yield-vault/smart-account';
import { createPublicClient, http, type Address, type Hex, type PrivateKeyAccount } from 'viem';
import {
  createBundlerClient,
  formatUserOperationRequest,
  type UserOperationReceipt,
} from 'viem/account-abstraction';
import type { DevnetChain } from './types.js';

/** Most that gas may cost, in base units of USDC. */
const gasMaximum = 50_000_000n;
// A stub signature grants nothing, so an estimate lacks what the account pays with.
const grantGas = 64_000n;
// Enough for every local paymaster: Circle's rejects a limit below what it charges on top.
const postOpGas = 40_000n;

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

/** Run hooks of a set-up wallet through the bundler, its gas paid in USDC. */
export async function runThroughBundler(
  chain: DevnetChain,
  wallet: PrivateKeyAccount,
  hooks: readonly ExecutorHook[],
): Promise<UserOperationReceipt> {
  const { paymaster, validator } = chain.contracts;
  const { usdc } = localAddresses[chain.chainId];
  const isOwn = paymaster === localContracts(chain.chainId).paymaster;
  const reader = createPublicClient({ transport: http(chain.rpcUrl) });
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const bundler = createBundlerClient({ transport: http(chain.bundlerUrl), pollingInterval: 50 });
  const { standard: price } = await bundler.request<PriceRequest>({
    method: 'pimlico_getUserOperationGasPrice',
    params: [],
  });
  const draft: UserOperation = {
    sender: wallet.address,
    nonce: await reader.readContract({
      address: chain.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [wallet.address, nonceKey(validator)],
    }),
    callData: encodeAccountCall(hooks),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: BigInt(price.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(price.maxPriorityFeePerGas),
    paymaster,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: isOwn ? encodeGasGrant({ token: usdc, maximum: gasMaximum }) : '0x',
    signature: stubIntentSignature(expiry, 0),
  };
  const limits = await bundler.request({
    method: 'eth_estimateUserOperationGas',
    params: [formatUserOperationRequest(draft), chain.entryPoint],
  });
  const operation: UserOperation = {
    ...draft,
    callGasLimit: BigInt(limits.callGasLimit),
    verificationGasLimit: BigInt(limits.verificationGasLimit),
    preVerificationGas: BigInt(limits.preVerificationGas),
    paymasterVerificationGasLimit: isOwn ? grantGas : BigInt(limits.paymasterVerificationGasLimit ?? 0),
    paymasterPostOpGasLimit: postOpGas,
  };

  const { signing } = buildIntentEnvelope({
    chainId: chain.chainId,
    entryPoint: chain.entryPoint,
    validator,
    expiry,
    operation,
  });
  const signature = await signIntent(wallet, { signing });
  const signed = {
    ...operation,
    signature: encodeIntentSignature({ expiry, validAfter: 0, signature, proof: [] }),
  };
  const userOpHash = await bundler.request({
    method: 'eth_sendUserOperation',
    params: [formatUserOperationRequest(signed), chain.entryPoint],
  });
  return bundler.waitForUserOperationReceipt({ hash: userOpHash, timeout: 10_000 });
}
