import type { Address, Hex } from 'viem';

/** A Chainlink feed of a price in dollars, 8 decimals. */
export interface PriceFeedFacts {
  readonly feed: Address;
  /** What the feed's `description()` returns. */
  readonly description: string;
  /** Longest time between two rounds, in seconds, as Chainlink publishes it. */
  readonly heartbeatSeconds: number;
}

/** A token, and its price feed where it has one. */
export interface TokenFacts {
  readonly symbol: string;
  readonly address: Address;
  readonly decimals: number;
  readonly price?: PriceFeedFacts;
}

/** What this project knows about one chain. Each file beside this one is one chain, and names two sources for each fact. */
export interface ChainFacts {
  /** As the interface names it, e.g. `base`. */
  readonly key: string;
  readonly chainId: number;
  /** For people, e.g. `Base`. */
  readonly name: string;
  readonly explorerUrl: string;
  readonly isTestnet?: true;
  /** Blocks on top of a result before it is final, unless the deployment says otherwise. */
  readonly confirmations: number;
  /** Native USDC of Circle. */
  readonly usdc: TokenFacts & { readonly price: PriceFeedFacts };
  /** The wrapped native token. Its feed is that of the native token. */
  readonly wrappedNative: TokenFacts & { readonly price: PriceFeedFacts };
  /** Further assets of vaults with a price feed. */
  readonly tokens: readonly TokenFacts[];
  /** Chainlink's sequencer uptime feed of an L2. */
  readonly sequencerFeed?: Address;
  /** GasPriceOracle of the OP stack. */
  readonly l1FeeOracle?: Address;
  readonly circlePaymaster?: Address;
  /** Most that a wallet allows a paymaster that is paid from an allowance, in base units of USDC. */
  readonly allowanceCap: bigint;
  /** keccak256 of the runtime code of entry point v0.8, whose domain separator depends on the chain. */
  readonly entryPointCodeHash: Hex;
  /** How our paymaster is deployed on this chain. */
  readonly paymaster: {
    /** Dollars for one native token between which the feed is believed, 8 decimals. */
    readonly nativeUsd: { readonly least: bigint; readonly most: bigint };
    /** Seconds for which a stored price may be used. */
    readonly maxAgeSeconds: number;
    /** Added to the price, in basis points. */
    readonly markupBps: number;
    /** Largest prefund of an operation at first, and the most that the owner can set, in base units of USDC. */
    readonly operationCeiling: bigint;
    readonly highestCeiling: bigint;
  };
  /** Limits within which an agent accepts the gas of an operation, where they differ from those of Base. */
  readonly gasLimits?: {
    /** Base units of USDC. */
    readonly maxGasUsdc?: bigint;
    /** US dollars for one native token. */
    readonly maxEthUsd?: number;
    /** In wei. */
    readonly maxFeePerGas?: bigint;
    readonly maxPriorityFeePerGas?: bigint;
    readonly maxL1FeeWei?: bigint;
  };
  /** How DeFiLlama names the chain: in prices and in yields. */
  readonly defiLlama?: { readonly prices: string; readonly yields: string };
  /** How x402 version 1 names the chain. */
  readonly x402Network?: string;
}
