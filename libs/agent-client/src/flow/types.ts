import type {
  ExecuteRequest,
  ExecuteResponse,
  RebalanceSteering,
  SetupRelayResponse,
  VaultCandidate,
} from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';
import type { AgentClient } from '../http/create-agent-client.js';
import type { AgentSigner } from '../sign/signer.js';
import type { AddressBook } from '../verify/address-book.js';
import type { GasLimits } from '../verify/gas-limits.js';
import type { VerifiedEnvelope } from '../verify/verify-envelope.js';
import type { VerifiedGaslessSetup } from '../verify/verify-gasless-setup.js';
import type { VerifiedSetup } from '../verify/verify-setup.js';
import type { OwnNode } from './wallet-node.js';

/** Where and within which limits an agent acts. Limits of gas replace those of the deployment and of the node. */
export interface Limits extends Partial<GasLimits> {
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  /** Trusted addresses; the shipped book by default. */
  readonly addressBook?: AddressBook | undefined;
  /** How far the minimum may be below the vault's own quote; 100 by default. */
  readonly maxSlippageBps?: number | undefined;
  /**
   * Whether a setup may replace a delegation of the wallet to another implementation. By default such a setup is refused
   * with `DELEGATION_MISMATCH`.
   */
  readonly replaceDelegation?: boolean | undefined;
  /** Most that a setup transaction may cost, in wei; 0.01 ether by default, and 1 POL on Polygon. */
  readonly maxSetupFeeWei?: bigint | undefined;
}

/** A wallet with its key, node and limits. */
export type Agent = OwnNode &
  Limits & {
    readonly client: AgentClient;
    readonly signer: AgentSigner;
    /** Receives each document before it is signed, and each result. `describeEvent` puts them in words. */
    readonly onProgress?: ((event: FlowEvent) => void) | undefined;
  };

/** An operation that an agent requests. */
export type OperationRequest = {
  /** For a rebalance, the source. */
  readonly vault: Address;
  /** Symbol of the asset of the vaults, e.g. `USDC`. */
  readonly asset: string;
} & (
  | {
      readonly operation: 'deposit';
      /** Human units of the asset. */
      readonly amount: string;
    }
  | {
      readonly operation: 'redeem';
      /** Of the position: above 0, at most 100. */
      readonly percentage: number;
    }
  | ({ readonly operation: 'rebalance' } & RebalanceChoice)
);

/** Where a rebalance goes: to one vault, or to the best of some in the ranking of the service. */
export type RebalanceChoice =
  | { readonly target: Address }
  | ({
      /** Allowed target vaults. Another choice of the service is refused. */
      readonly targets: readonly Address[];
    } & Pick<RebalanceSteering, 'strategy' | 'riskTolerance'>);

/** The response of setup-relay. When it was lost, only the fields that the agent's own node shows are set. */
export type RelayedSetup = Pick<
  SetupRelayResponse,
  'txHash' | 'receiptStatus' | 'blockNumber' | 'setupType'
> &
  Partial<SetupRelayResponse>;

/** How the wallet was set up: before this operation, by a transaction, or within its deposit. */
export type SetupOutcome =
  | { readonly kind: 'already-set-up' | 'within-deposit' }
  | { readonly kind: 'transaction'; readonly relayed: RelayedSetup };

/** An execution that the agent's own node shows, while the service reported none. */
export interface FoundExecution {
  readonly result: 'found_on_chain';
  readonly userOpHash: Hex;
  readonly txHash: Hex;
  readonly chainId: number;
  /** Chain key. */
  readonly chain: string;
  readonly receipt: ExecuteResponse['receipt'];
  readonly positionUpdate?: undefined;
  readonly sourcePositionUpdate?: undefined;
}

/** The response of execute, or what the chain shows. */
export type Execution = ExecuteResponse | FoundExecution;

/** Progress of `run` and `execute`. Each `…-verified` event comes before its document is signed. */
export type FlowEvent =
  | { readonly type: 'vault-chosen'; readonly vault: VaultCandidate }
  | { readonly type: 'setup-verified'; readonly verified: VerifiedSetup }
  | { readonly type: 'setup-relayed'; readonly setup: RelayedSetup }
  | { readonly type: 'gasless-setup-verified'; readonly verified: VerifiedGaslessSetup }
  | { readonly type: 'intent-verified'; readonly verified: VerifiedEnvelope }
  | { readonly type: 'executed'; readonly execution: Execution };

/** An operation that was executed. */
export interface ExecuteResult {
  readonly setup: SetupOutcome;
  /** The signed intent. */
  readonly verified: VerifiedEnvelope;
  /** The request that was sent. Sending it again changes nothing. */
  readonly request: ExecuteRequest;
  readonly execution: Execution;
}
