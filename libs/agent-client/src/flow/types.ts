import type { Address, Hex } from 'viem';
import type { AgentClient } from '../http/create-agent-client.js';
import type { AgentSigner } from '../sign/signer.js';
import type { ExecuteRequest, ExecuteResponse, SetupRelayResponse } from '../types.js';
import type { AddressBook } from '../verify/address-book.js';
import type { VerifiedEnvelope } from '../verify/verify-envelope.js';

/** The wallet, its chain and its limits. */
export interface Agent {
  readonly client: AgentClient;
  readonly signer: AgentSigner;
  /** The agent's own node of the chain: the service is checked against it. */
  readonly rpcUrl: string;
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  /** Trusted addresses; the shipped book by default. */
  readonly addressBook?: AddressBook | undefined;
  /** How far the minimum may be below the vault's own quote; 100 by default. */
  readonly maxSlippageBps?: number | undefined;
  /** Most USDC that the gas of one operation may cost, in base units; 10 USDC by default. */
  readonly maxGasUsdc?: bigint | undefined;
  /** Upper bound of the price of one ether in US dollars, to read gas as USDC; 10,000 by default. */
  readonly maxEthUsd?: number | undefined;
  /**
   * Whether a setup may replace a delegation of the wallet to another implementation. By default such a setup is refused
   * with `DELEGATION_MISMATCH`.
   */
  readonly replaceDelegation?: boolean | undefined;
  /** Most that a setup transaction may cost, in wei; 0.01 ether by default. */
  readonly maxSetupFeeWei?: bigint | undefined;
  /** Receives, in plain words, each document before it is signed, and each result. */
  readonly onProgress?: ((message: string) => void) | undefined;
}

/** An operation that an agent requests. */
export type OperationRequest =
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
      /** The source vault. */
      readonly vault: Address;
      /** Allowed target vaults. The service chooses the best one. */
      readonly targets: readonly Address[];
      /** Symbol of the asset of all of them, e.g. `USDC`. */
      readonly asset: string;
    };

/** The response of setup-relay. When it was lost, only the fields that the agent's own node shows are set. */
export type RelayedSetup = Pick<
  SetupRelayResponse,
  'txHash' | 'receiptStatus' | 'blockNumber' | 'setupType'
> &
  Partial<SetupRelayResponse>;

/** An execution that the agent's own node shows, while the response of the service was lost. */
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

/** An operation that was executed. */
export interface ExecuteResult {
  /** Only where a transaction set the wallet up. */
  readonly setup?: RelayedSetup;
  /** The signed intent. */
  readonly verified: VerifiedEnvelope;
  /** The request that was sent. Sending it again changes nothing. */
  readonly request: ExecuteRequest;
  readonly execution: Execution;
}
