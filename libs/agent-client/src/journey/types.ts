import type { Address, Hex } from 'viem';
import type { AgentClient } from '../http/create-agent-client.js';
import type { AgentSigner } from '../sign/signer.js';
import type { ExecuteRequest, ExecuteResponse, SetupRelayResponse } from '../types.js';
import type { AddressBook, VerifiedEnvelope } from '../verify/types.js';

/** Who acts, where, and what it puts up with. */
export interface Agent {
  readonly client: AgentClient;
  readonly signer: AgentSigner;
  /** A node of the chain that is the agent's own: what the service says is held against it. */
  readonly rpcUrl: string;
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  /** What is trusted; the book that the library ships unless given. */
  readonly addressBook?: AddressBook | undefined;
  /** How far below what the vault says now the outcome may be; 100 unless given. */
  readonly maxSlippageBps?: number | undefined;
  /** Most USDC that the gas of one operation may cost, in base units; 10 USDC unless given. */
  readonly maxGasUsdc?: bigint | undefined;
  /** Price of one ether in US dollars that is never exceeded, to read gas as USDC; 10,000 unless given. */
  readonly maxEthUsd?: number | undefined;
  /**
   * Whether a setup may take the place of a delegation of the wallet to another implementation, which other software
   * made. Unless given, such a setup is not signed: `DELEGATION_MISMATCH`.
   */
  readonly replaceDelegation?: boolean | undefined;
  /** Most that a setup transaction may cost, in wei; 0.01 ether unless given. */
  readonly maxSetupFeeWei?: bigint | undefined;
  /** Told in plain words what is about to be signed, and what has happened. */
  readonly onProgress?: ((message: string) => void) | undefined;
}

/** What an agent wants done. */
export type Order =
  | {
      readonly operation: 'deposit';
      readonly vault: Address;
      /** Symbol of the vault's asset, e.g. `USDC`. */
      readonly asset: string;
      /** Human units of the asset. */
      readonly amount: string;
    }
  | {
      readonly operation: 'redeem';
      readonly vault: Address;
      /** Symbol of the vault's asset, e.g. `USDC`. */
      readonly asset: string;
      /** Of the position: above 0, at most 100. */
      readonly percentage: number;
    }
  | {
      readonly operation: 'rebalance';
      /** The vault to leave. */
      readonly vault: Address;
      /** Vaults to go to; the service chooses the best one, and no other is signed for. */
      readonly targets: readonly Address[];
      /** Symbol of the asset of all of them, e.g. `USDC`. */
      readonly asset: string;
    };

/**
 * What setup-relay answered; or, of a setup that it gives no account of, what the agent's own node shows: then the
 * service's own fields are not there.
 */
export type RelayedSetup = Pick<
  SetupRelayResponse,
  'txHash' | 'receiptStatus' | 'blockNumber' | 'setupType'
> &
  Partial<SetupRelayResponse>;

/** An execution that the agent's own node shows, and that the service gives no account of. */
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

/** What execute answered, or what the chain shows of it. */
export type Execution = ExecuteResponse | FoundExecution;

/** An order that was carried out. */
export interface Outcome {
  /** What became of the setup where the wallet had to be set up. */
  readonly setup?: RelayedSetup;
  /** What was signed. */
  readonly verified: VerifiedEnvelope;
  /** What was sent; sent again, it changes nothing. */
  readonly request: ExecuteRequest;
  readonly execution: Execution;
}
