import { encodeFunctionData, erc20Abi, erc4626Abi, type Address, type PrivateKeyAccount } from 'viem';
import type { BenchChain, Measured, Transaction } from './chain.js';

/** The vault of all contenders. */
export interface BenchVault {
  readonly address: Address;
  readonly asset: Address;
}

/** One way to do the same things. */
export interface Contender {
  /** The address that holds the shares; the wallet itself by default. */
  holder?(account: PrivateKeyAccount): Address;
  setUp(bench: BenchChain, account: PrivateKeyAccount): Promise<Measured>;
  /** @param assets - base units */
  deposit(
    bench: BenchChain,
    account: PrivateKeyAccount,
    vault: BenchVault,
    assets: bigint,
  ): Promise<Measured>;
  redeem(bench: BenchChain, account: PrivateKeyAccount, vault: BenchVault, shares: bigint): Promise<Measured>;
}

/** The calls of a deposit: approve, then deposit. */
export const depositCalls = (
  owner: Address,
  { address, asset }: BenchVault,
  assets: bigint,
): Transaction[] => [
  {
    to: asset,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [address, assets] }),
  },
  {
    to: address,
    data: encodeFunctionData({ abi: erc4626Abi, functionName: 'deposit', args: [assets, owner] }),
  },
];

/** The call of a redeem. */
export const redeemCalls = (owner: Address, { address }: BenchVault, shares: bigint): Transaction[] => {
  const redeem = { abi: erc4626Abi, functionName: 'redeem', args: [shares, owner, owner] } as const;
  return [{ to: address, data: encodeFunctionData(redeem) }];
};
