import type { Address, ChainId, Digits, Environment, Integer, Timestamp } from './values.js';

export interface FundWalletRequest {
  readonly chain: string;
  readonly walletAddress: Address;
  /** Decimal digits, wei. */
  readonly ethWei?: string;
  /** Decimal digits, base units. */
  readonly usdcAmount?: string;
}

/** Caps of one call. */
export interface FundingLimits {
  /** ETH, in wei. @example 20000000000000000 */
  readonly maxEthWeiPerCall: Digits;
  /** USDC, in base units. @example 50000000 */
  readonly maxUsdcBaseUnitsPerCall: Digits;
}

/** ETH of the wallet. */
export interface FundedEth {
  /** Asked for; 0 when nothing was. @example 10000000000000000 */
  readonly requestedAmountWei: Digits;
  /** Balance afterwards, read from the fork. @example 10000000000000000 */
  readonly resultingBalanceWei: Digits;
}

/** USDC of the wallet. */
export interface FundedUsdc {
  /** USDC of the chain. @example {usdc} */
  readonly tokenAddress: Address;
  /** Asked for; 0 when nothing was. @example 25000000 */
  readonly requestedAmountBaseUnits: Digits;
  /** Balance afterwards, read from the fork. @example 25000000 */
  readonly resultingBalanceBaseUnits: Digits;
}

/** What was added, and what the wallet has now. */
export interface Funded {
  /** ETH. */
  readonly eth: FundedEth;
  /** USDC. */
  readonly usdc: FundedUsdc;
}

/** The wallet is funded. */
export interface FundWalletResponse {
  /** The balances were added. */
  readonly success: true;
  /** Deployment. @example local */
  readonly environment: Environment;
  /** Chain key. @example base */
  readonly chain: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** The wallet. @example {testWallet} */
  readonly walletAddress: Address;
  /**
   * Id of the fork. Another one than before: the fork was recreated, earlier balances are gone.
   * @example {forkId}
   */
  readonly forkId: string;
  /** What was added, and what the wallet has now. */
  readonly funded: Funded;
  /** Caps of one call. */
  readonly limits: FundingLimits;
  /** Whether only wallets of an allowlist may be funded. @example false */
  readonly allowlistEnforced: boolean;
}

/** Tokens that can be minted on the forks of a chain. */
export interface SupportedTokens {
  /** Chain key. @example base */
  readonly chain: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Addresses by token key. @example {"usdc": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"} */
  readonly tokens: Readonly<Record<string, Address>>;
}

/** State of what makes the forks. */
export interface ForkHealth {
  /** healthy, degraded or unavailable. @example healthy */
  readonly status: string;
  /** Forks of both kinds. @example 2 */
  readonly activeForks: Integer;
  /** Forks that there may be at once; null without a limit. @example 32 */
  readonly maxForks: Integer | null;
  /** Version of what makes the forks; empty when it does not respond. @example fork-service/v0.1.0 */
  readonly version: string;
}

/** The persistent fork of a chain. */
export interface PrimaryFork {
  /** Chain key. @example base */
  readonly chain: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Changes when the fork is recreated: what wallets did on it is gone then. @example {forkId} */
  readonly id: string;
  /** starting, running, stopped or failed. @example running */
  readonly status: string;
  /**
   * URL of its JSON-RPC; null where the deployment does not make it public.
   * @example http://127.0.0.1:3100/rpc/base
   */
  readonly rpcUrl: string | null;
  /** Newest block. @example 12345678 */
  readonly blockNumber: Integer;
  /** When it was created. @example 2026-01-01T12:00:00.000Z */
  readonly createdAt: Timestamp;
}

/** A fork. @schema ForkRecord */
export interface WireForkRecord {
  /** Id of the fork. @example {forkId} */
  readonly id: string;
  /** starting, running, stopped or failed. @example running */
  readonly status: string;
  /** One per chain that is kept, or one per simulation. @example persistent */
  readonly kind: 'persistent' | 'ephemeral';
  /** node: the RPC runs the simulation. anvil: the fork is an Anvil process. @example anvil */
  readonly backend: 'node' | 'anvil';
  /** When it was created. @example 2026-01-01T12:00:00.000Z */
  readonly createdAt: Timestamp;
}

/** Forks of one chain. */
export interface ActiveForks {
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** How many. @example 1 */
  readonly count: Integer;
  /** Each of them. */
  readonly forks: readonly WireForkRecord[];
}

/** State of the test forks. */
export interface ForkStatusResponse {
  /** The state could be told. */
  readonly success: true;
  /** Deployment. @example local */
  readonly environment: Environment;
  /** Simulation before submission. @example enforce */
  readonly preflightMode: 'off' | 'enforce';
  /** Caps of one fund-wallet call. */
  readonly limits: FundingLimits;
  /** What fund-wallet mints besides ETH, chain by chain. */
  readonly supportedTokens: readonly SupportedTokens[];
  /** State of what makes the forks. */
  readonly health: ForkHealth;
  /** The persistent forks that exist; one is created on first use. */
  readonly primaryForks: readonly PrimaryFork[];
  /** Forks by chain key. */
  readonly activeForks: Readonly<Record<string, ActiveForks>>;
}
