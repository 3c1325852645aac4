import type { ActiveChain, ActiveChains, Bundler } from '@yield-vault/chains';
import type {
  AwaitedOperation,
  ExecuteResponse,
  IntentListRequest,
  IntentState,
  Json,
  RankedVault,
  Sighting,
  UserOperation,
  Vault,
  WireUserOperation,
} from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** The chains on which intents are executed. */
export type ExecutionChains = Pick<ActiveChains, 'keys'> & {
  findById(chainId: number): ExecutionChain | undefined;
};

/** A bundler. */
export type BundlerPort = Pick<Bundler, 'send' | 'status' | 'holds' | 'receipt'>;

/** A chain on which intents are executed. */
export type ExecutionChain = Pick<
  ActiveChain,
  | 'key'
  | 'chainId'
  | 'relayMode'
  | 'confirmations'
  | 'entryPoint'
  | 'contracts'
  | 'paymaster'
  | 'usdc'
  | 'rpc'
  | 'explorerTxUrl'
> & {
  readonly bundler: BundlerPort | undefined;
};

/** The catalogue of vaults. */
export interface VaultsPort {
  /** @throws {DataStaleError} for an unknown vault, before the vaults of every chain are ranked */
  byAddress(chainId: number, address: Address): (Vault & Pick<RankedVault, 'listed'>) | undefined;
}

/** A signed operation to simulate. */
export interface SimulationRequest {
  /** Chain key. */
  readonly chain: string;
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
  /** Implementation that the operation delegates its sender to. */
  readonly pendingDelegation?: Address;
}

/** The result of a simulation. */
export type SimulationResult =
  | { readonly success: true }
  | {
      readonly success: false;
      /** Decoded, e.g. `INSUFFICIENT_BALANCE`. */
      readonly revertReason: string;
      /** When the entry point refuses the operation. */
      readonly aaCode?: string;
    };

/** Simulates a signed operation on the newest block. */
export interface SimulatorPort {
  /** @throws {ServiceError} when it cannot be simulated now */
  simulate(request: SimulationRequest): Promise<SimulationResult>;
}

/** Why an intent failed for good. */
export interface IntentFailure {
  readonly detail: string;
  readonly details: Readonly<Record<string, Json>>;
  readonly nextAction: string;
}

/** A new intent of the ledger. */
export interface NewIntent {
  /** The merkle root in lower case. */
  readonly intentId: Hex;
  readonly chainId: number;
  readonly wallet: Address;
  readonly userOpHash: Hex;
  readonly nonce: bigint;
  /** Unix seconds. */
  readonly expiry: number;
  /** Signed, so that another process can take it over. */
  readonly userOperation: WireUserOperation;
}

/** A move at a vault, with the vault's facts: it may leave the catalogue before the response. */
export interface VaultMove {
  readonly hook: 'deposit' | 'redeem';
  /** Assets of a deposit, shares of a redeem, in base units; absent for the proceeds, or the whole position. */
  readonly amount?: string | undefined;
  readonly vaultId: string;
  readonly vaultAddress: Address;
  readonly vaultName: string;
  readonly shareDecimals: number;
  readonly assetDecimals: number;
}

/** An intent of the ledger. */
export interface IntentRecord extends NewIntent {
  readonly state: IntentState;
  /** No earlier block can include it. */
  readonly submittedBlock?: bigint;
  /** Present once submitted: one deposit, one redeem, or both of a rebalance. */
  readonly moves?: readonly VaultMove[];
  readonly txHash?: Hex;
  /** Present when included or confirmed. */
  readonly response?: ExecuteResponse;
  /** Present when failed. */
  readonly failure?: IntentFailure;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The submitted intent of the same operation, whose state and result this one shows. */
  readonly duplicateOf?: Hex;
}

/** A new state of an intent, with its data. */
export type IntentTransition =
  | { readonly state: 'simulated' | 'expired' }
  | {
      readonly state: 'submitted';
      readonly submittedBlock: bigint;
      /** Chain key. */
      readonly chain: string;
      readonly moves: readonly VaultMove[];
    }
  /** Back from `included`, because the chain was reorganised. */
  | { readonly state: 'submitted'; readonly submittedBlock?: undefined }
  /** `included` also ends the lease. */
  | {
      readonly state: 'included' | 'confirmed';
      readonly moves: readonly VaultMove[];
      readonly txHash: Hex;
      readonly response: ExecuteResponse;
    }
  | { readonly state: 'failed'; readonly failure: IntentFailure; readonly txHash?: Hex };

/** The exclusive right to work on an intent, for a time. */
export interface IntentLease {
  readonly owner: string;
  readonly seconds: number;
}

/**
 * The outcome of a reservation:
 * - `owned`: the caller works on the record now.
 * - `known`: somebody else does, or it is final. It may be another intent of the same operation.
 * - `full`: the wallet has too many open intents. The record is one of them, and nothing was reserved.
 */
export interface Reservation {
  readonly outcome: 'owned' | 'known' | 'full';
  readonly record: IntentRecord;
}

/** An open intent that the chain may have decided. */
export interface UnresolvedIntent {
  readonly intentId: Hex;
  /** The transaction of its stored event, if there is one. */
  readonly seenIn?: Hex;
}

/** The intent ledger. Every method is atomic, and returns after the database committed. */
export interface IntentStore {
  /** Find an intent or a duplicate. */
  find(intentId: Hex): Promise<IntentRecord | undefined>;
  /** When the ledger last may have lost rows in a restore or a failover. */
  restoredAt(): Promise<Date | undefined>;
  /**
   * Reserve a new intent, or take over one whose lease has expired. One operation has one open row: for another intent of
   * an operation, the record is that row. Once it is included, the ledger knows up to 16 others as its duplicates.
   */
  reserve(intent: NewIntent, lease: IntentLease): Promise<Reservation>;
  /** Take over an open intent whose lease has expired. */
  takeOver(intentId: Hex, lease: IntentLease): Promise<IntentRecord | undefined>;
  /** @returns false when another owner has the lease */
  renew(intentId: Hex, lease: IntentLease): Promise<boolean>;
  /** @returns false, without any change, when another owner has the lease */
  advance(intentId: Hex, owner: string, transition: IntentTransition): Promise<boolean>;
  /** Release the lease and keep the intent. */
  release(intentId: Hex, owner: string): Promise<void>;
  /**
   * Delete the reservation, so that the intent can be executed again.
   *
   * @returns false when another owner has the lease
   */
  deleteReservation(intentId: Hex, owner: string): Promise<boolean>;
  /** Delete a final intent whose managed fork is gone, unless it has changed since it was read. */
  deleteLost(record: IntentRecord): Promise<void>;
  /**
   * List the intents without a lease that the stored events of a chain may decide, those that waited longest first. While
   * nobody follows the chain, list every open intent without a lease.
   */
  unresolved(
    chain: Pick<ExecutionChain, 'chainId' | 'confirmations'>,
    limit: number,
  ): Promise<readonly UnresolvedIntent[]>;
  /**
   * List a page of the submitted intents of a wallet, newest first.
   *
   * @throws {InvalidParametersError} for a cursor that no page of the wallet returned
   */
  ofWallet(
    request: IntentListRequest,
  ): Promise<{ readonly records: readonly IntentRecord[]; readonly nextCursor: string | null }>;
}

/** Knows what the follower of each chain stored. It gives hints: what a relay stores comes from the node. */
export interface ChainEventsPort {
  /** The newest stored block; `undefined` while nobody follows the chain. */
  newestBlock(chainId: number): Promise<bigint | undefined>;
  /**
   * How many stored blocks follow a block; `undefined` unless this very block was stored lately, and while nobody follows
   * the chain.
   */
  depthOf(
    chainId: number,
    block: { readonly number: bigint; readonly hash: Hex },
  ): Promise<bigint | undefined>;
  waitForOperation(awaited: AwaitedOperation, timeoutMs: number, signal?: AbortSignal): Promise<Sighting>;
}
