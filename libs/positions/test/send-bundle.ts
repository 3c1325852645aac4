import type { ActiveChain } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import {
  encodeAccountCall,
  encodeGasGrant,
  encodeIntentSignature,
  nonceKey,
  type ExecutorHook,
} from '@yield-vault/smart-account';
import { buildIntentEnvelope, signIntent, testAccount, testKey } from '@yield-vault/testing';
import { createWalletClient, http, type TransactionReceipt } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';

/** Hooks that a wallet runs, by the name of its test account. */
export interface WalletOperation {
  readonly name: string;
  readonly hooks: readonly ExecutorHook[];
}

/** Include one operation of each wallet in one bundle. The account `bundler` sends it. */
export async function sendBundle(
  chain: ActiveChain,
  ...operations: readonly WalletOperation[]
): Promise<TransactionReceipt> {
  const packed = await Promise.all(
    operations.map(async (operation) => toPackedUserOperation(await sign(chain, operation))),
  );
  const bundler = createWalletClient({
    account: testAccount('bundler'),
    chain: chain.rpc.chain!,
    transport: http(chain.rpcUrls[0]),
  });
  // A bundle that reverts throws its reason here.
  const { request } = await chain.rpc.simulateContract({
    address: chain.entryPoint,
    abi: entryPointV08Abi,
    functionName: 'handleOps',
    args: [packed, bundler.account.address],
    gas: 5_000_000n,
    account: bundler.account,
  });
  const hash = await bundler.writeContract(request);
  return chain.rpc.waitForTransactionReceipt({ hash, pollingInterval: 20 });
}

async function sign(chain: ActiveChain, { name, hooks }: WalletOperation): Promise<UserOperation> {
  const { entryPoint, contracts, paymaster, rpc, chainId, usdc } = chain;
  const sender = testAccount(name).address;
  const operation: UserOperation = {
    sender,
    nonce: await rpc.readContract({
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [sender, nonceKey(contracts.validator)],
    }),
    callData: encodeAccountCall(hooks),
    callGasLimit: 800_000n,
    verificationGasLimit: 200_000n,
    preVerificationGas: 80_000n,
    maxFeePerGas: 1_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    signature: '0x',
    paymaster: contracts.paymaster,
    paymasterVerificationGasLimit: 150_000n,
    paymasterPostOpGasLimit: 40_000n,
    paymasterData: paymaster.kind === 'own' ? encodeGasGrant({ token: usdc, maximum: 10_000_000n }) : '0x',
  };
  const parts = { chainId, entryPoint, validator: contracts.validator, operation };
  const { signing, expiry, validAfter } = buildIntentEnvelope(parts);
  const signature = await signIntent(signing, testKey(name));
  return { ...operation, signature: encodeIntentSignature({ expiry, validAfter, signature, proof: [] }) };
}
