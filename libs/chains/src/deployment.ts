import type { EntryPointVersion, Json } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** Where a deployment runs. */
export const environments = ['local', 'staging', 'preproduction', 'production'] as const;
export type Environment = (typeof environments)[number];

/**
 * How gas is paid in USDC. `own`: the paymaster of the suite, out of an allowance. `circle`: that of Circle, likewise.
 * `erc7677`: a service that signs for its paymaster; the allowance goes to that paymaster.
 */
export type PaymasterConfig =
  | { readonly kind: 'own' | 'circle' }
  | {
      readonly kind: 'erc7677';
      /** May carry a credential: never shown. */
      readonly url: string;
      /** Passed on to the service as it is. */
      readonly context: Readonly<Record<string, Json>>;
    };

/** What is configured about one chain. */
export interface ChainConfig {
  readonly chainId: number;
  readonly name: string;
  /** What the wallets of this chain act on. */
  readonly relayMode: 'chain' | 'managed-fork';
  /** In order of preference; a later one is asked when an earlier one fails. */
  readonly rpcUrls: readonly string[];
  /** `null`: this chain has no bundler, so nothing can be prepared or executed on it. */
  readonly bundlerUrl: string | null;
  /** Without a trailing slash. */
  readonly explorerUrl: string;
  readonly entryPoint: Address;
  readonly entryPointVersion: EntryPointVersion;
  /** Who takes USDC for gas, and how; its address is `contracts.paymaster`. */
  readonly paymaster: PaymasterConfig;
  readonly contracts: {
    readonly account: Address;
    readonly validator: Address;
    readonly executor: Address;
    readonly paymaster: Address;
    /** Of an own paymaster whose address follows from it: only then can a missing suite be deployed onto a fork. */
    readonly paymasterOwner?: Address;
  };
  readonly usdc: Address;
  /** What forks of this chain need to know. */
  readonly fork: {
    /** Runs on the OP stack. */
    readonly opStack: boolean;
    /** Accounts that the bundler sends from; a new persistent fork gives them ETH. */
    readonly bundlerAccounts: readonly Address[];
    /** Storage slot of the balances of USDC. */
    readonly usdcBalanceSlot?: number;
    readonly usdcMasterMinter?: Address;
    readonly usdcWhale?: Address;
  };
  /** First block that can hold an event of a wallet; 0 when it is left out. */
  readonly logsFromBlock?: number;
  /** Longest time that one call may take, failover and retries included. */
  readonly deadlines: { readonly rpcMs: number; readonly bundlerMs: number };
}

/** Where forks come from. */
export type ForkBackend =
  | { readonly provider: 'none' }
  | {
      /** Anvil processes of this one. */
      readonly provider: 'anvil';
      /** Port of the stable RPC addresses of the persistent forks; 0 for any free one. */
      readonly rpcPort: number;
      /** Folder that keeps the state of persistent forks over a restart; nothing is kept without it. */
      readonly stateDirectory?: string;
    }
  | {
      /** Our fork service. */
      readonly provider: 'service';
      readonly url: string;
      readonly adminCredential: string;
    }
  | {
      /** Tenderly Virtual TestNets. */
      readonly provider: 'tenderly';
      readonly baseUrl: string;
      readonly account: string;
      readonly project: string;
      readonly accessKey: string;
      /** Port of the stable RPC addresses of the persistent forks; 0 for any free one. */
      readonly rpcPort: number;
    };

/** A parsed deployment file: complete, checked and frozen. */
export interface Deployment {
  readonly environment: Environment;
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly bodyLimitBytes: number;
    readonly requestTimeoutSeconds: number;
    /** Proxies in front of the server: how many, or their addresses and ranges; 0 for none. */
    readonly trustProxy: number | readonly string[];
  };
  /** PostgreSQL by URL, or the embedded database in a directory. */
  readonly database: { readonly url: string } | { readonly directory: string };
  readonly rateLimits: {
    readonly store: 'memory' | 'redis';
    readonly redisUrl?: string;
    /** Requests of one client and minute. */
    readonly perMinute: {
      readonly discover: number;
      readonly status: number;
      readonly history: number;
      readonly prepare: number;
      readonly execute: number;
      readonly setupRelay: number;
      readonly testing: number;
      readonly other: number;
    };
  };
  readonly intents: {
    readonly expirySeconds: number;
    readonly validAfterSeconds: number;
    readonly maxSlippageBps: number;
    /** Shares below which no deposit is made, and no vault entered, in base units. */
    readonly minShares: bigint;
    /** Most that a deposit may lose if it were redeemed at once, in basis points. */
    readonly maxRoundTripLossBps: number;
    /** Most that the share price of an entered vault may be away from its newest sample, in basis points. */
    readonly maxPriceJumpBps: number;
  };
  readonly setup: {
    readonly ticketLifetimeSeconds: number;
    /** Base units of USDC. */
    readonly paymasterAllowanceUsdc: bigint;
  };
  readonly relay: { readonly executeWaitSeconds: number; readonly setupWaitSeconds: number };
  readonly forks: ForkBackend & {
    /** Persistent and ephemeral ones together. */
    readonly maxForks: number;
    /** A persistent fork that is older is recreated; `null`: never for its age. */
    readonly maxAgeSeconds: number | null;
    /** An ephemeral fork made by hand that nobody used for so long is ended. */
    readonly idleSeconds: number;
  };
  readonly preflight:
    | { readonly mode: 'off' }
    | {
        readonly mode: 'enforce';
        readonly strategy: 'overlay' | 'process' | 'upstream-simulate' | 'managed';
        /** Simulations at the same time. */
        readonly concurrency: number;
        /** Simulations that wait for their turn; a further one is refused. */
        readonly queueLimit: number;
        readonly deadlineMs: number;
        /** Part of the simulations, 0 to 1, that also run in a process of their own for comparison. */
        readonly shadowFraction: number;
      };
  readonly payments:
    | { readonly mode: 'off' }
    | {
        readonly mode: 'on';
        readonly payTo: Address;
        /** By which callers reach the service, without a trailing slash. */
        readonly publicUrl: string;
        /** Decimal USD of one call; what is not listed is free. */
        readonly prices: { readonly discover?: string; readonly prepare?: string };
        /** Keys of the chains on which payments are taken; empty: all. */
        readonly chains: readonly string[];
        /** How long payers are told to let an authorization be valid. */
        readonly maxTimeoutSeconds: number;
        readonly facilitator:
          | {
              readonly kind: 'embedded';
              readonly privateKey: Hex;
              /** Wei, by chain key; above it no transfer is sent or replaced. Without it whatever is asked is paid. */
              readonly maxFeePerGas: Readonly<Record<string, bigint>>;
            }
          | { readonly kind: 'remote'; readonly url: string; readonly bearerToken?: string };
        /** Access keys whose holders need not pay. */
        readonly allowlist: readonly string[];
        /** Free calls of one client a day. */
        readonly freeCallsPerDay: number;
        /** Payments of one payer that may be in flight at the same time. */
        readonly maxInFlightPerPayer: number;
      };
  readonly testing:
    | { readonly enabled: false }
    | {
        readonly enabled: true;
        readonly maxEthWeiPerCall: bigint;
        readonly maxUsdcBaseUnitsPerCall: bigint;
        /** Wallets that may be funded; `null`: every wallet. */
        readonly allowlist: readonly Address[] | null;
        /** Whether fork-status shows the RPC addresses of persistent forks. */
        readonly publicRpcUrls: boolean;
        /** In front of `/rpc/<chain>` in the addresses that it shows; implies that it does. Absent: the server's own. */
        readonly publicRpcBaseUrl?: string;
      };
  readonly discovery: {
    /** Absolute when `parseDeployment` was given the directory of the file; absent: the registry of the library. */
    readonly registryFile?: string;
    /** `external`: another process samples, this one serves what it finds in the database. */
    readonly sampler: 'in-process' | 'external';
    readonly sampleIntervalSeconds: number;
    /** Pause between two looks for numbers that another process computed. */
    readonly followIntervalSeconds: number;
    readonly backfillHours: number;
    readonly maxRankingAgeSeconds: number;
    readonly minTvlUsd: number;
    readonly multicallBatchSize: number;
    /** Gas that one read of a vault may burn before it is left out. */
    readonly readGasLimit: number;
    /** Pause between two simulated deposits and redeems of a vault. */
    readonly probeIntervalSeconds: number;
    /** A vault whose last good simulation is older is not listed. */
    readonly maxProbeAgeSeconds: number;
    /** Days for which every hour is kept; of older ones the last hour of each day stays. */
    readonly hourlyRetentionDays: number;
    /** Services that add to what the chain says; each is off without its URL. */
    readonly sources: {
      readonly morphoUrl?: string;
      readonly llamaYieldsUrl?: string;
      readonly llamaCoinsUrl?: string;
      readonly kongUrl?: string;
      readonly vaultsFyiUrl?: string;
      readonly vaultsFyiKey?: string;
    };
  };
  /** By chain key, as the interface names chains. */
  readonly chains: Readonly<Record<string, ChainConfig>>;
}
