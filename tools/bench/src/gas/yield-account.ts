import { localContracts } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import {
  encodeAccountCall,
  encodeInitializeAccount,
  nonceKey,
  stubIntentSignature,
  type ExecutorHook,
} from '@yield-vault/smart-account';
import type { PrivateKeyAccount } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { signOperation } from '../sign-operation.js';
import type { BenchChain, Measured } from './chain.js';
import type { Contender } from './contender.js';

const intentLifetimeSeconds = 600;
const paymasterAllowance = 100_000_000n;
const { validator, paymaster, account: implementation } = localContracts;

async function run(
  bench: BenchChain,
  account: PrivateKeyAccount,
  hooks: readonly ExecutorHook[],
): Promise<Measured> {
  const { rpc, bundler, entryPoint } = bench.chain;
  if (!bundler) throw new Error('The chain has no bundler');
  const [nonce, fees] = await Promise.all([
    rpc.readContract({
      address: entryPoint,
      abi: entryPoint08Abi,
      functionName: 'getNonce',
      args: [account.address, nonceKey(validator)],
    }),
    bundler.gasPrice(),
  ]);
  const window = { expiry: Math.floor(Date.now() / 1000) + intentLifetimeSeconds, validAfter: 0 };
  const unsigned: UserOperation = {
    sender: account.address,
    nonce,
    callData: encodeAccountCall(hooks),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    ...fees,
    paymaster,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: stubIntentSignature(window.expiry, window.validAfter),
  };
  const estimated = { ...unsigned, ...(await bundler.estimate(unsigned)) };
  const { operation } = await signOperation(account, estimated, window, bench.chain);
  return bench.sendUserOperation(operation);
}

/** Ours: modular account, intent validator, executor hooks with minimum output, gas paid in USDC. */
export const yieldAccount: Contender = {
  setUp: async (bench, account) => {
    const data = encodeInitializeAccount({
      token: bench.chain.usdc,
      paymaster,
      allowance: paymasterAllowance,
    });
    const { gasUsed } = await bench.send(account, { to: account.address, data, implementation });
    return { gasUsed };
  },
  deposit: (bench, account, { address, asset }, amount) =>
    run(bench, account, [{ hook: 'deposit', vault: address, token: asset, amount, minShares: 1n }]),
  redeem: (bench, account, { address, asset }, shares) =>
    run(bench, account, [{ hook: 'redeem', vault: address, token: asset, shares, minAssets: 1n }]),
};
