import type { ActiveChain } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { setUpWallet as delegateWallet } from '@yield-vault/devnet';
import { fromWireUserOperation, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import {
  encodeAccountCall,
  encodeGasGrant,
  encodeIntentSignature,
  nonceKey,
  type ExecutorHook,
} from '@yield-vault/smart-account';
import { buildIntentEnvelope, signIntent, testAccount, testKey } from '@yield-vault/testing';
import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';

export { activeBase as activeChain } from '@yield-vault/devnet';

const chainId = 8453;

/** A signed operation with its hash. */
export interface SignedOperation {
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
}

/** Most that gas may cost, in base units of USDC. */
const gasMaximum = 50_000_000n;

/** Delegate a wallet that has ETH. A paymaster that is not ours gets an allowance. */
export async function setUpWallet(
  { rpcUrls: [rpcUrl = ''], contracts, paymaster }: ActiveChain,
  name: string,
  allowance = gasMaximum,
): Promise<PrivateKeyAccount> {
  const wallet = testAccount(name);
  const options = paymaster.kind === 'own' ? {} : { allowance };
  await delegateWallet({ rpcUrl, chainId, contracts }, wallet, options);
  return wallet;
}

/** Sign an operation of a wallet that was set up, with the nonce of the chain and the gas price of its bundler. */
export async function signOperation(
  chain: ActiveChain,
  name: string,
  hooks: readonly ExecutorHook[],
  overrides: {
    readonly operation?: Partial<UserOperation>;
    /** Most that our paymaster may take, in base units of USDC. */
    readonly maximum?: bigint;
    /** Unix seconds. */
    readonly expiry?: number;
    /** Whose key signs; the wallet's own by default. */
    readonly signer?: string;
  } = {},
): Promise<SignedOperation> {
  const { operation, maximum = gasMaximum, signer = name, expiry } = overrides;
  const { paymaster, validator } = chain.contracts;
  const sender = testAccount(name).address;
  const [nonce, price] = await Promise.all([
    chain.rpc.readContract({
      address: chain.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [sender, nonceKey(validator)],
    }),
    chain.bundler?.gasPrice(),
  ]);
  const envelope = buildIntentEnvelope({
    chainId,
    entryPoint: chain.entryPoint,
    validator,
    ...(expiry !== undefined && { expiry }),
    operation: {
      sender,
      nonce,
      ...price,
      callData: encodeAccountCall(hooks),
      callGasLimit: 400_000n,
      verificationGasLimit: 200_000n,
      preVerificationGas: 80_000n,
      paymaster,
      paymasterVerificationGasLimit: 100_000n,
      paymasterPostOpGasLimit: 50_000n,
      paymasterData: chain.paymaster.kind === 'own' ? encodeGasGrant({ token: chain.usdc, maximum }) : '0x',
      ...operation,
    },
  });
  const { expiry: until, validAfter, proofs, userOps } = envelope;
  const signature = await signIntent(envelope.signing, testKey(signer));
  const wire = userOps[0]?.userOperation;
  if (!wire) throw new Error('the envelope is empty');
  const unsigned = fromWireUserOperation(wire);
  return {
    operation: {
      ...unsigned,
      signature: encodeIntentSignature({ expiry: until, validAfter, signature, proof: proofs[0] ?? [] }),
    },
    userOpHash: userOperationHash(unsigned, chain.entryPoint, chainId),
  };
}

/** Send an operation to the bundler, and wait for its receipt. */
export async function execute({ bundler }: ActiveChain, { operation, userOpHash }: SignedOperation) {
  expect(await bundler!.send(operation)).toEqual({ outcome: 'accepted', userOpHash });
  for (;;) {
    const receipt = await bundler!.receipt(userOpHash);
    if (receipt) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
