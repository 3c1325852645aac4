import type { ActiveChain, ActiveChains, Bundler, GasPrice } from '@yield-vault/chains';
import type { ListedVault, PrepareRequest, PrepareResponse, SetupType } from '@yield-vault/protocol';
import type { ExecutorHook, WalletState } from '@yield-vault/smart-account';
import type { Address } from 'viem';
import type { PaymasterTerms } from './paymasters/paymaster.js';
import type { VaultCatalogue } from './ports.js';

/** Settings of a deployment. */
export interface IntentBuilderOptions {
  /** Life of an intent. */
  readonly expirySeconds: number;
  /** How long after prepare an intent becomes valid; 0 for at once. */
  readonly validAfterSeconds: number;
  readonly ticketLifetimeSeconds: number;
  /** Most that a quote may worsen until inclusion, in basis points. */
  readonly maxSlippageBps: number;
  /** Allowance that a setup gives the paymaster, in base units of USDC. */
  readonly paymasterAllowanceUsdc: bigint;
}

/** What `createIntentBuilder` is made of. */
export interface IntentBuilderDependencies {
  readonly chains: ActiveChains;
  readonly vaults: VaultCatalogue;
  readonly options: IntentBuilderOptions;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The prepare endpoint. */
export interface IntentBuilder {
  /**
   * Build what a wallet has to sign next: its setup, or an intent.
   *
   * @throws {ServiceError} of the interface; see the README
   */
  prepare(request: PrepareRequest): Promise<PrepareResponse>;
}

/** What is to be done, once the request has been checked. Amounts are base units. */
export type Instruction =
  | { readonly operation: 'deposit'; readonly assets: bigint }
  | { readonly operation: 'redeem'; readonly amount: RedeemAmount }
  | { readonly operation: 'rebalance'; readonly target: ListedVault };

/** How much of a position is redeemed: base units of shares, or percent of the balance. */
export type RedeemAmount = { readonly shares: bigint } | { readonly percentage: number };

/** A checked request. */
export interface Order {
  readonly chain: ActiveChain;
  readonly wallet: Address;
  /** The vault of the request; of a rebalance, the source. */
  readonly vault: ListedVault;
  readonly instruction: Instruction;
}

/** A wallet that needs a setup first, or everything known about one that does not; and what its own transactions cost. */
export type WalletReading = { readonly fees: GasPrice } & (
  { readonly setupType: SetupType } | { readonly snapshot: Snapshot }
);

/** What the chain and the bundler say about a configured wallet and its order, read at once. Amounts are base units. */
export interface Snapshot {
  readonly state: Extract<WalletState, { kind: 'configured' }>;
  readonly nonce: bigint;
  readonly assetBalance: bigint;
  readonly usdcBalance: bigint;
  readonly shareBalance: bigint;
  /** What the order's amount is worth in the vault's other unit; the revert reason where the vault refuses to say. */
  readonly quote: Reading;
  readonly gasPrice: GasPrice;
  readonly bundler: Bundler;
  readonly paymaster: PaymasterTerms;
}

/** A number of a vault, or why it has none. */
export type Reading = { readonly value: bigint } | { readonly revertReason: string };

/** The steps of an order, and what they were quoted. Amounts are base units. */
export interface Plan {
  readonly hooks: readonly ExecutorHook[];
  readonly quotedOut: bigint;
  readonly minOut: bigint;
}
