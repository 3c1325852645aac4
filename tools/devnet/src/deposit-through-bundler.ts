import { entryPointV08Abi } from '@yield-vault/contracts';
import { localAddresses } from '@yield-vault/contracts/local';
import {
  buildIntentTree,
  intentSigning,
  intentTypes,
  userOperationHash,
  type UserOperation,
} from '@yield-vault/protocol';
import {
  encodeAccountCall,
  encodeIntentSignature,
  nonceKey,
  stubIntentSignature,
} from '@yield-vault/smart-account';
import { createPublicClient, http, type Address, type Hex, type PrivateKeyAccount } from 'viem';
import { formatUserOperationRequest } from 'viem/account-abstraction';
import type { DevnetChain } from './types.js';

// Enough for every local paymaster: Circle's refuses less than it charges on top, whatever it uses.
const postOpGas = 40_000n;

/** The receipt of a user operation, as far as a try-out needs it. */
export interface OperationReceipt {
  readonly userOpHash: Hex;
  readonly success: boolean;
  readonly actualGasUsed: Hex;
}

async function call<Result>(url: string, method: string, params: readonly unknown[]): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await response.json()) as { result: Result; error?: { message: string } };
  if (body.error) throw new Error(`${method}: ${body.error.message}`);
  return body.result;
}

/** Deposit USDC of a set-up wallet through the bundler, its gas paid in USDC. */
export async function depositThroughBundler(
  chain: DevnetChain,
  wallet: PrivateKeyAccount,
  vault: Address,
  amount: bigint,
): Promise<OperationReceipt> {
  const { executor, paymaster, validator } = chain.contracts;
  const reader = createPublicClient({ transport: http(chain.rpcUrl) });
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const price = await call<{ standard: { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex } }>(
    chain.bundlerUrl,
    'pimlico_getUserOperationGasPrice',
    [],
  );
  const draft: UserOperation = {
    sender: wallet.address,
    nonce: await reader.readContract({
      address: chain.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [wallet.address, nonceKey(validator)],
    }),
    callData: encodeAccountCall(executor, [
      { hook: 'deposit', vault, token: localAddresses[chain.chainId].usdc, amount, minShares: 1n },
    ]),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: BigInt(price.standard.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(price.standard.maxPriorityFeePerGas),
    paymaster,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: stubIntentSignature(expiry, 0),
  };
  const limits = await call<Record<string, Hex>>(chain.bundlerUrl, 'eth_estimateUserOperationGas', [
    formatUserOperationRequest(draft),
    chain.entryPoint,
  ]);
  const limit = (name: string): bigint => BigInt(limits[name] ?? 0);
  const operation: UserOperation = {
    ...draft,
    callGasLimit: limit('callGasLimit'),
    verificationGasLimit: limit('verificationGasLimit'),
    preVerificationGas: limit('preVerificationGas'),
    paymasterVerificationGasLimit: limit('paymasterVerificationGasLimit'),
    paymasterPostOpGasLimit: postOpGas,
  };

  const userOpHash = userOperationHash(operation, chain.entryPoint, chain.chainId);
  const { root } = buildIntentTree([{ userOpHash, expiry, validAfter: 0, validator }]);
  const intent = {
    merkleRoot: root,
    chainId: chain.chainId,
    expiry,
    validAfter: 0,
    validator,
  };
  const { domain, message } = intentSigning(intent);
  const signature = await wallet.signTypedData({
    domain,
    types: intentTypes,
    primaryType: 'Intent',
    message: { ...message, chainId: BigInt(message.chainId) },
  });
  const signed = {
    ...operation,
    signature: encodeIntentSignature({ expiry, validAfter: 0, signature, proof: [] }),
  };
  await call<Hex>(chain.bundlerUrl, 'eth_sendUserOperation', [
    formatUserOperationRequest(signed),
    chain.entryPoint,
  ]);
  return waitForReceipt(chain.bundlerUrl, userOpHash);
}

async function waitForReceipt(bundlerUrl: string, userOpHash: Hex): Promise<OperationReceipt> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const receipt = await call<OperationReceipt | null>(bundlerUrl, 'eth_getUserOperationReceipt', [
      userOpHash,
    ]);
    if (receipt) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The user operation was not included in time');
}
