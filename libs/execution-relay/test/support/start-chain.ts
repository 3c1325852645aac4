import type { ActiveChain, PaymasterConfig } from '@yield-vault/chains';
import {
  activeBase,
  fundWallet,
  setUpWallet,
  startDevnet,
  type DevnetChain,
  type DevnetGas,
} from '@yield-vault/devnet';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { nonceKey, type ExecutorHook } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import { localAddresses } from '@yield-vault/testing/local';
import { parseEther, type Address } from 'viem';
import { chainId } from './build-intent.js';

export interface LocalBase {
  readonly started: DevnetChain;
  readonly chain: ActiveChain;
  stop(): Promise<void>;
}

/** Start a local chain that stands in for Base, with its bundler. */
export async function startChain(gas?: DevnetGas, paymaster?: PaymasterConfig): Promise<LocalBase> {
  const devnet = await startDevnet({ chains: ['base'], historyDays: 1, ...(gas && { gas }) });
  const [started] = devnet.chains;
  if (!started) throw new Error('the devnet started no chain');
  return { started, chain: activeBase(started, paymaster), stop: () => devnet.stop() };
}

const { usdc } = localAddresses[chainId];

/** What an operation of a wallet that was set up has, with the nonce and the gas price of the chain. */
export async function readyOperation({ chain }: LocalBase, sender: Address) {
  const nonce = chain.rpc.readContract({
    address: chain.entryPoint,
    abi: entryPointV08Abi,
    functionName: 'getNonce',
    args: [sender, nonceKey(chain.contracts.validator)],
  });
  return {
    sender,
    nonce: await nonce,
    ...(await chain.bundler!.gasPrice()),
    callGasLimit: 400_000n,
    verificationGasLimit: 200_000n,
    preVerificationGas: 80_000n,
  };
}

export const depositOf = (vault: Address, amount: bigint | 'previous'): ExecutorHook => ({
  hook: 'deposit',
  vault,
  token: usdc,
  amount,
  minShares: 1n,
});
export const redeemAll = (vault: Address): ExecutorHook => ({
  hook: 'redeem',
  vault,
  token: usdc,
  shares: 'all',
  minAssets: 1n,
});

/** Fund a wallet with USDC, delegate it and install its modules. */
export async function newWallet({ started }: LocalBase, name: string, usdc: bigint) {
  const wallet = testAccount(name);
  await fundWallet(started, wallet.address, { ethWei: parseEther('0.01'), usdc });
  await setUpWallet(started, wallet, { allowance: 50_000_000n });
  return wallet;
}
