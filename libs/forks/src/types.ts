import type { UserOperation } from '@yield-vault/protocol';
import type { Address, Hex, Log } from 'viem';

/** A block as it was when it was looked at: its number alone does not identify it. */
export interface BlockRef {
  readonly number: bigint;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/** `persistent`: one per chain, kept. `ephemeral`: one per use, destroyed afterwards. */
export type ForkKind = 'persistent' | 'ephemeral';

export type ForkStatus = 'starting' | 'running' | 'stopped' | 'failed';

/** What is known about a fork without asking it. */
export interface ForkRecord {
  /** Changes when the fork is recreated: a new id means that what wallets did on it is gone. */
  readonly id: string;
  readonly kind: ForkKind;
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  readonly chainId: number;
  readonly status: ForkStatus;
  /** The block of the upstream chain on which it stands. */
  readonly forkBlock: bigint;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** What forks have to know about a chain. */
export interface ForkChain {
  /** As the interface names it, e.g. `base`. */
  readonly key: string;
  readonly chainId: number;
  /** RPC endpoints of the chain that is forked, in order of preference. They may carry credentials: never shown. */
  readonly upstreamUrls: readonly string[];
  /** Runs on the OP stack: its EVM has precompiles and fees that Ethereum's has not. */
  readonly opStack: boolean;
  readonly entryPoint: Address;
  readonly contracts: {
    readonly account: Address;
    readonly validator: Address;
    readonly executor: Address;
    readonly paymaster: Address;
    /** Of an own paymaster whose address follows from it: only then can a missing suite be deployed onto a fork. */
    readonly paymasterOwner?: Address;
  };
  /** Whose paymaster it is. One of others is taken as it is. */
  readonly paymaster: 'own' | 'other';
  readonly usdc: UsdcFacts;
  /** Accounts of the bundler, which a new persistent fork gives ETH to. */
  readonly bundlerAccounts: readonly Address[];
}

/** How USDC can be minted on a fork of a chain. Tried in this order: mint, deal, storage slot, whale. */
export interface UsdcFacts {
  readonly address: Address;
  /** Storage slot of the balances mapping; 9 in Circle's FiatToken, whose highest bit is the blacklist flag. */
  readonly balanceSlot?: number;
  /** May configure minters. */
  readonly masterMinter?: Address;
  /** Holds much of it. */
  readonly whale?: Address;
}

/** What a wallet is to be given; it is added to what the wallet has. */
export interface Funding {
  readonly address: Address;
  readonly ethWei?: bigint;
  readonly usdcBaseUnits?: bigint;
}

/** Balances read from the fork after a funding. */
export interface FundedBalances {
  readonly ethWei: bigint;
  readonly usdcBaseUnits: bigint;
}

/**
 * A running fork with the rights of its operator. Every method fails with `ForkNotRunningError` once the fork is
 * gone.
 */
export interface Fork extends ForkRecord {
  /** Plain JSON-RPC, for wallets and bundlers. Never shown where the deployment does not say that it is public. */
  readonly rpcUrl: string;
  /** One JSON-RPC call, operator methods included. JSON-RPC errors are thrown as viem's `RpcRequestError`. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Send a transaction in somebody's name and wait for its receipt, reverted or not. */
  sendAs(transaction: UnsignedTransaction): Promise<SentTransaction>;
  /** Add to the balances of a wallet. Concurrent calls all count. */
  fund(funding: Funding): Promise<FundedBalances>;
  /** Mine empty blocks. */
  mine(blocks: number): Promise<void>;
  /** Move the clock forward and mine a block. */
  increaseTime(seconds: number): Promise<void>;
  snapshot(): Promise<string>;
  /** @returns false when there is no such snapshot (any more) */
  revert(snapshotId: string): Promise<boolean>;
  /**
   * Tell that somebody sends transactions to `rpcUrl`, so that block numbers go on from theirs should the fork die.
   * Absent where that is seen to elsewhere.
   *
   * @returns to be called when they are answered
   */
  readonly expectBlocks?: (blocks: number) => () => void;
}

export interface UnsignedTransaction {
  readonly from: Address;
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
}

export interface SentTransaction {
  readonly hash: Hex;
  readonly success: boolean;
  readonly gasUsed: bigint;
  readonly logs: readonly Log[];
  /** What the call returned or reverted with; `0x` where the back end cannot say. */
  readonly returnData: Hex;
}

export interface ForkHealth {
  /** `degraded`: no room left or a fork is failing; `unavailable`: the back end does not answer. */
  readonly status: 'healthy' | 'degraded' | 'unavailable';
  readonly activeForks: number;
  /** `null`: the back end sets no limit. */
  readonly maxForks: number | null;
  /** Of the back end, e.g. `anvil/v1.7.1`; empty when it does not answer. */
  readonly version: string;
}

/** How a simulation runs. */
export type ForkStrategy = 'overlay' | 'process' | 'upstream-simulate' | 'managed';

export interface SimulatedCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
  /** Capped at 30 million, which is also the default. */
  readonly gas?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly authorizationList?: readonly SignedAuthorization[];
}

export interface SignedAuthorization {
  readonly address: Address;
  readonly chainId: number;
  readonly nonce: number;
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: number;
}

export interface StateOverride {
  readonly balance?: bigint;
  readonly nonce?: number;
  readonly code?: Hex;
  readonly stateDiff?: Readonly<Record<Hex, Hex>>;
}

export interface SimulationRequest {
  /** Run in order in the block after the fork's newest one; what one changes, the next sees. */
  readonly calls: readonly SimulatedCall[];
  readonly stateOverrides?: Readonly<Record<Address, StateOverride>>;
  /** Names what the calls do, e.g. `deposit:0x…`: operations of one template touch much the same state. */
  readonly template?: string;
}

/** What one call did. */
export interface SimulatedCallResult {
  /** `halt`: out of gas, an invalid opcode, or any other end without revert data. */
  readonly status: 'success' | 'revert' | 'halt';
  readonly gasUsed: bigint;
  /** Returned, or reverted with. */
  readonly returnData: Hex;
  /** Of address, topics and data; block fields belong to the simulated block. */
  readonly logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[];
}

/** The same from every back end. */
export interface SimulationResult {
  /** The block on top of which it ran. */
  readonly block: BlockRef;
  readonly strategy: ForkStrategy;
  readonly calls: readonly SimulatedCallResult[];
}

/** A fork for one use; it is destroyed when the use ends, whatever happens. */
export interface EphemeralFork {
  readonly id: string;
  readonly chain: string;
  /** The newest block of the chain when the fork was taken. */
  readonly block: BlockRef;
  readonly strategy: ForkStrategy;
  /** Run calls; nothing of it stays, unless the strategy is `process` or `managed`. */
  simulate(request: SimulationRequest): Promise<SimulationResult>;
  /** The fork as a chain of its own. Strategies `process` and `managed` only. */
  readonly fork?: Fork;
}

export interface EphemeralForkOptions {
  /** The configured one by default. */
  readonly strategy?: ForkStrategy;
  /**
   * How long ago the newest block may have been looked up, in milliseconds; 0 asks the chain now. The configured one
   * by default.
   */
  readonly maxHeadAgeMs?: number;
  /**
   * What will be simulated first, when that is known already: what it needs is then read together with the newest
   * block.
   */
  readonly likely?: Pick<SimulationRequest, 'calls' | 'template'>;
  /** Longest time for taking the fork and using it; the configured one by default. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** A signed user operation, to be tried as the bundler would send it. */
export interface UserOperationRequest {
  readonly chain: string;
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
  /** Tokens whose balance of the sender is compared; ETH is always. */
  readonly tokens?: readonly Address[];
  readonly template?: string;
}

export interface BalanceChange {
  /** `null` is ETH. */
  readonly token: Address | null;
  /** Base units; negative when the wallet has less afterwards. */
  readonly change: bigint;
}

/** What a user operation would do. Only `UserOperationEvent.success` counts as success. */
export type UserOperationSimulation = {
  readonly block: BlockRef;
  readonly strategy: ForkStrategy;
  /** Of the whole bundle. */
  readonly gasUsed: bigint;
} & (
  | {
      readonly success: true;
      /** `actualGasUsed` of the event. */
      readonly operationGasUsed: bigint;
      readonly balanceChanges: readonly BalanceChange[];
    }
  | {
      readonly success: false;
      /** Decoded, e.g. `INSUFFICIENT_BALANCE` or `ERC4626ExceededMaxDeposit`. */
      readonly revertReason: string;
      /** When the entry point refused it. */
      readonly aaCode?: string;
      readonly revertData: Hex;
    }
);
