import type { Address, Hex } from 'viem';

/** A Chainlink feed of a price in dollars, 8 decimals. */
export interface PriceFeedFacts {
  readonly feed: Address;
  /** What the feed's `description()` returns. */
  readonly description: string;
  /** Published heartbeat, in seconds. The paymaster adds an hour. */
  readonly heartbeatSeconds: number;
}

/** A token, and the feed of its price. */
export interface TokenFacts {
  readonly symbol: string;
  readonly address: Address;
  readonly decimals: number;
  readonly price: PriceFeedFacts;
}

/**
 * What this project knows about one chain. Each file beside this one is one chain. Each fact has two sources, or a test
 * compares it with viem.
 */
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
  readonly usdc: TokenFacts;
  /** Name in the EIP-712 domain of USDC; `USD Coin` when left out. The version is 2. */
  readonly usdcName?: string;
  /** The wrapped native token. Its feed prices the native token. */
  readonly wrappedNative: TokenFacts;
  /** Further assets of vaults. Those without a feed are left out: the price of a peg is not the price of the asset. */
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
    /** Largest prefund of an operation at first, in base units of USDC. */
    readonly operationCeiling: bigint;
    /** The most that the owner can set as that limit, in base units of USDC. */
    readonly highestCeiling: bigint;
  };
  /** Gas limit of a setup, where the chain counts its L1 fee as gas. */
  readonly setupGasLimit?: bigint;
  /** Limits within which an agent accepts gas, where they differ from those of Base, which agent-client has. */
  readonly gasLimits?: {
    /** Most that an operation may cost, in base units of USDC. */
    readonly maxGasUsdc?: bigint;
    /** US dollars for one native token, e.g. POL. */
    readonly maxEthUsd?: number;
    /** In wei. */
    readonly maxFeePerGas?: bigint;
    /** In wei. */
    readonly maxPriorityFeePerGas?: bigint;
    /** L1 fee of the OP stack in `preVerificationGas`, in wei. */
    readonly maxL1FeeWei?: bigint;
    /** Most that a setup transaction may cost, in wei. */
    readonly maxSetupFeeWei?: bigint;
  };
  /** How DeFiLlama names the chain: in prices and in yields. */
  readonly defiLlama?: { readonly prices: string; readonly yields: string };
  /** How x402 version 1 names the chain. */
  readonly x402Network?: string;
}

/** Describe a token with its feed. `priced` is the symbol in the feed's name, if it differs. */
export function token(
  symbol: string,
  address: Address,
  decimals: number,
  [feed, heartbeatSeconds, priced = symbol]: readonly [Address, number, string?],
): TokenFacts {
  return { symbol, address, decimals, price: { feed, description: `${priced} / USD`, heartbeatSeconds } };
}

/** Circle deploys its paymaster of entry point v0.8 at one address on all main networks, and at one on test networks. */
export const circlePaymasters = {
  main: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  test: '0x3BA9A96eE3eFf3A69E2B18886AcF52027EFF8966',
} as const;

/** Facts of every chain on the OP stack. */
export const opStack = { l1FeeOracle: '0x420000000000000000000000000000000000000F' } as const;

const ether = { least: 100_00000000n, most: 100_000_00000000n };
/** Terms of our paymaster where an operation costs cents. */
export const cheapGas = {
  allowanceCap: 100_000_000n,
  paymaster: {
    nativeUsd: ether,
    maxAgeSeconds: 1_800,
    markupBps: 500,
    operationCeiling: 10_000_000n,
    highestCeiling: 50_000_000n,
  },
} as const;

/** Terms of our paymaster where an operation can cost many dollars. */
export const expensiveGas = {
  allowanceCap: 500_000_000n,
  paymaster: {
    nativeUsd: ether,
    maxAgeSeconds: 3_600,
    markupBps: 500,
    operationCeiling: 250_000_000n,
    highestCeiling: 1_000_000_000n,
  },
  gasLimits: {
    maxGasUsdc: 250_000_000n,
    maxFeePerGas: 60_000_000_000n,
    maxPriorityFeePerGas: 3_000_000_000n,
    maxL1FeeWei: 0n,
  },
} as const;
