import type { ActiveChain, ActiveChains, Bundler } from '@yield-vault/chains';
import type { IntentState } from '@yield-vault/database';
import type {
  ExecuteResponse,
  Json,
  ListedVault,
  UserOperation,
  WireUserOperation,
} from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** The chains on which intents are executed. */
export type ExecutionChains = Pick<ActiveChains, 'keys'> & {
  findById(chainId: number): ExecutionChain | undefined;
};

/** What execution uses of a bundler. */
export type BundlerPort = Pick<Bundler, 'send' | 'receipt' | 'get'>;

/** What execution uses of a chain. */
export type ExecutionChain = Pick<
  ActiveChain,
  'key' | 'chainId' | 'relayMode' | 'entryPoint' | 'contracts' | 'usdc' | 'rpc' | 'explorerTxUrl'
> & {
  readonly bundler: BundlerPort | undefined;
};

/** The catalogue of vaults. */
export interface VaultsPort {
  byAddress(chainId: number, address: Address): ListedVault | undefined;
}

/** A signed operation that is to be tried before it is submitted. */
export interface SimulationRequest {
  /** Chain key. */
  readonly chain: string;
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
  /** Tokens that it moves: assets and shares of its vaults. */
  readonly tokens: readonly Address[];
  /** Names what it does, e.g. `deposit:0x…`: operations of one name touch much the same state. */
  readonly template: string;
}

/** What a simulation found. */
export type SimulationVerdict =
  | { readonly success: true }
  | {
      readonly success: false;
      /** Decoded, e.g. `INSUFFICIENT_BALANCE`. */
      readonly revertReason: string;
      /** When the entry point refuses the operation. */
      readonly aaCode?: string;
    };

/** Tries a signed operation on a copy of the chain. */
export interface SimulatorPort {
  /** @throws {ServiceError} when it cannot be tried now; that is neither success nor failure */
  simulate(request: SimulationRequest): Promise<SimulationVerdict>;
}

/** Why an intent failed for good, as it is told to the caller. */
export interface IntentFailure {
  readonly detail: string;
  readonly details: Readonly<Record<string, Json>>;
  readonly nextAction: string;
}

/** What is stored about an intent when it is reserved. */
export interface NewIntent {
  /** The merkle root in lower case. */
  readonly intentId: Hex;
  readonly chainId: number;
  readonly wallet: Address;
  readonly userOpHash: Hex;
  readonly nonce: bigint;
  /** Unix seconds. */
  readonly expiry: number;
  /** Signed: enough to take the work of a killed process up. */
  readonly userOperation: WireUserOperation;
}

/** What an operation does at a vault, and what is told of that vault afterwards: it may leave the catalogue meanwhile. */
export interface VaultMove {
  readonly hook: 'deposit' | 'redeem';
  readonly vaultId: string;
  readonly vaultAddress: Address;
  readonly vaultName: string;
  readonly shareDecimals: number;
  readonly assetDecimals: number;
}

/** An intent of the ledger. */
export interface IntentRecord extends NewIntent {
  readonly state: IntentState;
  /** Newest block when the bundler first got it. */
  readonly submittedBlock?: bigint;
  /** Present once submitted: one deposit, one redeem, or a redeem and the deposit of what it brought. */
  readonly moves?: readonly VaultMove[];
  readonly txHash?: Hex;
  /** Present when confirmed. */
  readonly response?: ExecuteResponse;
  /** Present when failed. */
  readonly failure?: IntentFailure;
}

/** A step of an intent; what it learnt is stored with it. */
export interface IntentTransition {
  readonly state: Exclude<IntentState, 'reserved' | 'cancelled'>;
  readonly submittedBlock?: bigint;
  readonly moves?: readonly VaultMove[];
  readonly txHash?: Hex;
  readonly response?: ExecuteResponse;
  readonly failure?: IntentFailure;
}

/** The right to work on an intent, for a while. */
export interface IntentLease {
  readonly owner: string;
  readonly seconds: number;
}

/** The intent ledger. Every method is atomic; a change is durable when it returns. */
export interface IntentStore {
  find(intentId: Hex): Promise<IntentRecord | undefined>;
  /** Reserve a new intent, or take over one whose lease ran out; `owned` tells whether either worked. */
  claim(
    intent: NewIntent,
    lease: IntentLease,
  ): Promise<{ readonly owned: boolean; readonly record: IntentRecord }>;
  /** @returns false when the lease is somebody else's by now */
  renew(intentId: Hex, lease: IntentLease): Promise<boolean>;
  /** @returns false, and changes nothing, when the lease is somebody else's by now */
  advance(intentId: Hex, owner: string, transition: IntentTransition): Promise<boolean>;
  /** Give the lease up and keep the intent as it is. */
  release(intentId: Hex, owner: string): Promise<void>;
  /** Make the intent unsubmitted again. */
  forget(intentId: Hex, owner: string): Promise<void>;
  /** Make an intent whose life was over unsubmitted again, unless it changed since it was read. */
  discard(record: IntentRecord): Promise<void>;
  /** List intents that are neither final nor leased, the oldest first. */
  unsettled(limit: number): Promise<readonly IntentRecord[]>;
}
