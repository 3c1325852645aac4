import type { Address, PrivateKeyAccount } from 'viem';
import type { BenchChain } from './chain.js';

/** The vault of all contenders. */
export interface BenchVault {
  readonly address: Address;
  readonly asset: Address;
}

/** Gas of one step. */
export interface Measured {
  /** Of the transactions on chain. */
  readonly gasUsed: bigint;
  /** Base units of USDC that the paymaster took. */
  readonly usdcPaid?: bigint;
}

/** One way to do the same things. */
export interface Contender {
  readonly name: string;
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
