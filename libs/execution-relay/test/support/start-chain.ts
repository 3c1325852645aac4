import type { ActiveChain, PaymasterConfig } from '@yield-vault/chains';
import {
  activeBase,
  fundWallet,
  setUpWallet,
  startDevnet,
  type DevnetChain,
  type DevnetGas,
} from '@yield-vault/devnet';
import { testAccount } from '@yield-vault/testing';
import { parseEther } from 'viem';

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

/** Fund a wallet with USDC, delegate it and install its modules. */
export async function newWallet({ started }: LocalBase, name: string, usdc: bigint) {
  const wallet = testAccount(name);
  await fundWallet(started, wallet.address, { ethWei: parseEther('0.01'), usdc });
  await setUpWallet(started, wallet, { allowance: 50_000_000n });
  return wallet;
}
