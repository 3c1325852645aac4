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
  /** Shares below which no deposit is made, and no vault entered, in base units. */
  readonly minShares: bigint;
  /** Most that a deposit may lose if it were redeemed at once, in basis points. */
  readonly maxRoundTripLossBps: number;
  /** Most that the share price of an entered vault may be away from its newest sample, in basis points. */
  readonly maxPriceJumpBps: number;
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
  readonly usdcBalance: bigint;
  /** Read for a deposit. */
  readonly assetBalance: bigint;
  /** Read for a redeem and a rebalance. */
  readonly shareBalance: bigint;
  /** Assets that the shares pay which the order takes out. */
  readonly redeemed: Reading | undefined;
  readonly entered: EnteredVaultReadings | undefined;
  readonly gasPrice: GasPrice;
  readonly bundler: Bundler;
  readonly paymaster: PaymasterTerms;
}

/** What the vault says that an order puts money into. Amounts are base units. */
export interface EnteredVaultReadings {
  readonly asset: Reading<Address>;
  readonly assetDecimals: Reading<number>;
  readonly shareDecimals: Reading<number>;
  readonly totalShares: Reading;
  /** Shares that the order's deposit brings. */
  readonly deposited: Reading;
  /** Assets that these shares would pay at once. */
  readonly returned: Reading;
  /** Assets that the probed shares are worth. */
  readonly price: Reading;
}

/** What a contract answered, or why it did not. */
export type Reading<T = bigint> = { readonly value: T } | { readonly revertReason: string };

/** The steps of an order, and what they were quoted. Amounts are base units. */
export interface Plan {
  readonly hooks: readonly ExecutorHook[];
  readonly quotedOut: bigint;
  readonly minOut: bigint;
}
