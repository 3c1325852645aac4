import type { ModuleType } from '@yield-vault/smart-account';
import type { Address, PublicClient } from 'viem';
import type { UnsignedTransaction } from '../sign/sign-transaction.js';
import type { AddressBook } from '../verify/types.js';

/** What is read of a node. A client whose transport batches JSON-RPC needs fewer round trips. */
export type DelegationRpc = Pick<
  PublicClient,
  | 'call'
  | 'getBalance'
  | 'getChainId'
  | 'getCode'
  | 'getStorageAt'
  | 'getTransactionCount'
  | 'multicall'
  | 'readContract'
>;

/** What is read of a node to prepare an un-setup. */
export type UnsetupRpc = DelegationRpc & Pick<PublicClient, 'estimateFeesPerGas' | 'estimateGas'>;

/** Modules that an account of somebody else says it has. Nothing proves it. */
export interface ClaimedModules {
  readonly validators: readonly Address[];
  readonly executors: readonly Address[];
}

/** What the code of a wallet is. */
export type Delegation =
  | { readonly kind: 'none' }
  /** Not a wallet with a key: a contract of its own. */
  | { readonly kind: 'contract' }
  | {
      /** Delegated to an account implementation of the address book. */
      readonly kind: 'ours';
      readonly implementation: Address;
      /** Modules of the deployment that are not installed; empty when the wallet is set up. */
      readonly missing: readonly ModuleType[];
    }
  | {
      readonly kind: 'foreign';
      readonly implementation: Address;
      /** The name that the implementation is known under; `null` when it is not. */
      readonly name: string | null;
      /** The ERC-7579 identifier that it gives itself, which anybody may claim; `null` when it gives none. */
      readonly accountId: string | null;
      /** `null` when it has no lists that can be asked for. */
      readonly modules: ClaimedModules | null;
    }
  | {
      /** Delegated to an address without code: nothing works but the key. */
      readonly kind: 'ghost';
      readonly implementation: Address;
      /** The name that the implementation is known under elsewhere; `null` when it is not. */
      readonly name: string | null;
    };

/** A module in the storage of our account. It counts while the wallet delegates to our account, and only then. */
export interface WalletModule {
  readonly type: ModuleType;
  readonly address: Address;
  /** Whether the address book has it. */
  readonly known: boolean;
}

/** Who may take USDC from the wallet. */
export interface WalletAllowance {
  readonly spender: Address;
  readonly name: string;
  /** Whether it is a paymaster of the address book, which a setup allowed. */
  readonly ours: boolean;
  /** Base units of USDC. */
  readonly amount: bigint;
}

/** What an externally owned account is delegated to, and what it allows. */
export interface DelegationReport {
  readonly wallet: Address;
  readonly chainId: number;
  readonly delegation: Delegation;
  readonly modules: readonly WalletModule[];
  /** Whether `modules` is all; other code wrote to the wallet's storage when it is not. */
  readonly modulesComplete: boolean;
  /** Those above zero, of the paymasters of the address book and a few well-known spenders. */
  readonly allowances: readonly WalletAllowance[];
  /** Transactions sent: in blocks, and with those that wait for one. */
  readonly nonce: { readonly latest: number; readonly pending: number };
  readonly ethWei: bigint;
  readonly usdcBaseUnits: bigint;
}

export interface DescribeOptions {
  /** What is trusted; the book that the library ships unless given. */
  readonly addressBook?: AddressBook;
}

export interface UnsetupOptions extends DescribeOptions {
  /** Revoke a delegation that somebody else's software made too; unless set, it stays. */
  readonly revokeForeign?: boolean;
}

/** One transaction of an un-setup. */
export interface UnsetupStep {
  readonly transaction: UnsignedTransaction;
  /** What it does, one line each. */
  readonly summary: readonly string[];
}

/** How a wallet takes back what a setup gave. */
export interface Unsetup {
  /** What the wallet was when this was prepared. */
  readonly report: DelegationReport;
  /** In the order in which they have to be mined; empty when there is nothing to take back. */
  readonly steps: readonly UnsetupStep[];
  /** What stays, and why, one line each. */
  readonly remains: readonly string[];
  /** Most that the transactions cost, without what a rollup charges for their data. */
  readonly maxCostWei: bigint;
  /** What the wallet's ether falls short of it. */
  readonly missingWei: bigint;
}
