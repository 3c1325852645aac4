import type { Address } from 'viem';
import type { ForkBackend } from './simulation/types.js';

/** `persistent`: one per chain, kept. `ephemeral`: one per use, destroyed afterwards. */
export type ForkKind = 'persistent' | 'ephemeral';

export type ForkStatus = 'starting' | 'running' | 'stopped' | 'failed';

/** Facts about a fork. */
export interface ForkRecord {
  /** Changes when the fork is recreated, which discards everything that wallets did on it. */
  readonly id: string;
  readonly kind: ForkKind;
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  readonly chainId: number;
  readonly status: ForkStatus;
  /** The block of the upstream chain at which it was forked. */
  readonly forkBlock: bigint;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * A fork or a simulation that runs or starts, as fork-status lists it. A simulation on a node counts as an active
 * ephemeral fork with `backend: 'node'`.
 */
export interface ActiveFork extends Omit<ForkRecord, 'forkBlock'> {
  /** `node`: an RPC endpoint runs the simulation, and no Anvil process exists for it. */
  readonly backend: ForkBackend;
}

/** Facts about a chain that its forks need. */
export interface ForkChain {
  /** Chain key, e.g. `base`. */
  readonly key: string;
  readonly chainId: number;
  /** RPC endpoints of the upstream chain, in order of preference. They may hold credentials and are never shown. */
  readonly upstreamUrls: readonly string[];
  /** Whether it is an OP stack chain, whose EVM has other precompiles and fees than Ethereum. */
  readonly opStack: boolean;
  readonly entryPoint: Address;
  readonly contracts: {
    readonly account: Address;
    readonly validator: Address;
    readonly executor: Address;
    readonly paymaster: Address;
    /** Owner of our paymaster, whose address follows from it. Missing contracts are deployed only if it is given. */
    readonly paymasterOwner?: Address;
  };
  /** `own` is our paymaster, which is provisioned. */
  readonly paymaster: 'own' | 'other';
  readonly usdc: UsdcFacts;
  /** Accounts of the bundler. A new persistent fork gives them ETH. */
  readonly bundlerAccounts: readonly Address[];
}

/** Facts for minting USDC on a fork. Without a working minter the balance is written to its storage slot. */
export interface UsdcFacts {
  readonly address: Address;
  /** Storage slot of the balances mapping; 9 in Circle's FiatToken. */
  readonly balanceSlot?: number;
  /** The account that may configure minters. */
  readonly masterMinter?: Address;
}

/** Amounts to add to the balances of a wallet. */
export interface Funding {
  readonly address: Address;
  readonly ethWei?: bigint;
  readonly usdcBaseUnits?: bigint;
}

/** Balances of a wallet after it was funded. */
export interface FundedBalances {
  readonly ethWei: bigint;
  readonly usdcBaseUnits: bigint;
}

/**
 * A running fork with the rights of its operator. Every method fails with `ForkNotRunningError` when the fork is
 * gone.
 */
export interface Fork extends ForkRecord {
  /** JSON-RPC for wallets and bundlers. Shown only where the deployment makes it public. */
  readonly rpcUrl: string;
  /** Send one JSON-RPC request, also of an operator method. JSON-RPC errors are thrown as viem's `RpcRequestError`. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Add to the balances of a wallet. Concurrent calls add up. */
  fund(funding: Funding): Promise<FundedBalances>;
  /** Mine empty blocks. */
  mine(blocks: number): Promise<void>;
}

export interface ForkHealth {
  /** `degraded`: the limit is reached or a fork failed. `unavailable`: the fork service does not respond. */
  readonly status: 'healthy' | 'degraded' | 'unavailable';
  readonly activeForks: number;
  /** `null` when the limit is unknown. */
  readonly maxForks: number | null;
  /** Version of Anvil, e.g. `anvil/v1.7.1`; empty when the fork service does not respond. */
  readonly version: string;
}
