import type { Address } from 'viem';

export interface FundWalletRequest {
  readonly chain: string;
  readonly walletAddress: Address;
  /** Decimal digits, wei. */
  readonly ethWei?: string;
  /** Decimal digits, base units. */
  readonly usdcAmount?: string;
}

export interface FundingLimits {
  readonly maxEthWeiPerCall: string;
  readonly maxUsdcBaseUnitsPerCall: string;
}

export interface FundWalletResponse {
  readonly success: true;
  readonly environment: string;
  readonly chain: string;
  readonly chainId: number;
  readonly walletAddress: Address;
  readonly forkId: string;
  readonly funded: {
    readonly eth: { readonly requestedAmountWei: string; readonly resultingBalanceWei: string };
    readonly usdc: {
      readonly tokenAddress: Address;
      readonly requestedAmountBaseUnits: string;
      readonly resultingBalanceBaseUnits: string;
    };
  };
  readonly limits: FundingLimits;
  readonly allowlistEnforced: boolean;
}

/** A fork as fork-status lists it. */
export interface WireForkRecord {
  readonly id: string;
  readonly status: string;
  readonly kind: 'persistent' | 'ephemeral';
  /** `node`: the RPC runs the simulation by `eth_simulateV1`. `anvil`: an Anvil process. */
  readonly backend: 'node' | 'anvil';
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The persistent fork of a chain. */
export interface PrimaryFork {
  readonly chain: string;
  readonly chainId: number;
  readonly id: string;
  readonly status: string;
  /** Null unless the deployment makes it public. */
  readonly rpcUrl: string | null;
  /** Newest block of the fork; its fork block when it does not respond. */
  readonly blockNumber: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface ForkStatusResponse {
  readonly success: true;
  readonly environment: string;
  readonly preflightMode: 'off' | 'enforce';
  readonly limits: FundingLimits;
  readonly supportedTokens: readonly {
    readonly chain: string;
    readonly chainId: number;
    readonly tokens: Readonly<Record<string, Address>>;
  }[];
  readonly health: {
    readonly status: string;
    readonly activeForks: number;
    readonly maxForks: number | null;
    readonly version: string;
  };
  readonly primaryForks: readonly PrimaryFork[];
  /** By chain key. */
  readonly activeForks: Readonly<
    Record<
      string,
      { readonly chainId: number; readonly count: number; readonly forks: readonly WireForkRecord[] }
    >
  >;
}
