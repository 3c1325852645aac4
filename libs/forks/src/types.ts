import type { ContractAddresses, PaymasterRoles } from '@yield-vault/contracts';
import type { Address } from 'viem';

/** Facts about a fork. */
export interface ForkRecord {
  /** Changes when the fork is recreated, which discards everything that wallets did on it. */
  readonly id: string;
  /** `persistent`: one per chain, kept. `ephemeral`: one per use, destroyed afterwards. */
  readonly kind: 'persistent' | 'ephemeral';
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  readonly chainId: number;
  readonly status: 'starting' | 'running' | 'stopped' | 'failed';
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
  /** `node`: an RPC endpoint runs the simulation by `eth_simulateV1`. `anvil`: an Anvil process. */
  readonly backend: 'node' | 'anvil';
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
  readonly contracts: ContractAddresses & {
    /** From them follows the address of our paymaster. It is deployed only if they are given. */
    readonly paymasterRoles?: PaymasterRoles;
  };
  /** `own` is our paymaster, which is provisioned. */
  readonly paymaster: 'own' | 'other';
  /** Facts for minting USDC on a fork. Without a working minter the balance is written to its storage slot. */
  readonly usdc: {
    readonly address: Address;
    /** Storage slot of the balances mapping; 9 in Circle's FiatToken. */
    readonly balanceSlot?: number;
    /** The account that may configure minters. */
    readonly masterMinter?: Address;
  };
  /** Accounts of the bundler. A new persistent fork gives them ETH. */
  readonly bundlerAccounts: readonly Address[];
}

/** Amounts to add to the balances of a wallet. */
export interface Funding {
  readonly address: Address;
  readonly ethWei?: bigint;
  readonly usdcBaseUnits?: bigint;
}

/** Balances of a wallet. */
export interface Balances {
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
  fund(funding: Funding): Promise<Balances>;
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

/**
 * Manages forks: in the fork service the manager of its Anvil processes, elsewhere a client of the fork service.
 *
 * @throws {ForkNotRunningError} the fork, or the fork service, does not respond; retryable
 * @throws {ForkCapacityError} the limit of forks is reached; retryable
 */
export interface ForkProvider {
  /** Get the persistent fork of a chain. It is created and provisioned on first use, and again when it is gone. */
  persistent(chain: string): Promise<Fork>;
  /** Create an ephemeral fork at the newest block. It is not provisioned. */
  create(chain: string, options?: { readonly signal?: AbortSignal }): Promise<Fork>;
  find(id: string): Promise<Fork | undefined>;
  list(): Promise<readonly ForkRecord[]>;
  /** Destroy a fork. An unknown id is not an error. */
  destroy(id: string): Promise<void>;
  health(): Promise<ForkHealth>;
  close(): Promise<void>;
}
