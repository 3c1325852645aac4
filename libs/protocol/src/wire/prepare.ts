import type { Address, Hex } from 'viem';
import type { PreparedIntentEnvelope } from './intent-envelope.js';
import type { GaslessSetup, SetupBlock, SetupTicket, SetupType } from './setup.js';
import type { Apy, Risk, RiskLevel } from './vault.js';

export const operations = ['deposit', 'redeem', 'rebalance'] as const;
export type Operation = (typeof operations)[number];

export interface PrepareRequest {
  readonly operation: Operation;
  readonly chain: string;
  readonly agentAddress: Address;
  readonly vaultId: string;
  readonly asset?: string;
  /** Human units of the asset. */
  readonly amount?: string;
  /** Base units of the share token. */
  readonly shares?: string;
  /** Above 0, at most 100. */
  readonly percentage?: number;
}

export interface SetupStrategy {
  readonly vaultName: string;
  readonly expectedAPY: number;
  readonly riskScore: RiskLevel;
}

export interface ExecutionStrategy extends SetupStrategy {
  readonly protocol: string;
  readonly chain: string;
  /** USD. */
  readonly tvl: number;
}

export interface RebalanceSource {
  readonly vaultId: string;
  readonly vaultName: string;
  readonly apy: Apy;
  readonly risk: Risk;
  readonly tvlUsd: number;
}

export interface RebalanceTarget extends RebalanceSource {
  readonly compositeScore: number;
}

/** The document to sign and its costs; every amount is in base units. */
export interface Execution {
  readonly intentEnvelope: PreparedIntentEnvelope;
  /** The entry point. */
  readonly to: Address;
  readonly calldata: Hex;
  /** Sum of the gas limits of the operation. */
  readonly estimatedGas: string;
  readonly slippage: { readonly maxSlippageBps: number; readonly minOut: string; readonly quotedOut: string };
  readonly gasQuote: { readonly token: Address; readonly maxAmount: string; readonly expectedAmount: string };
  readonly costs: ExecutionCosts;
  readonly summary: string;
}

/** Expected costs in USD, where one USDC counts as one USD. For information: the chain enforces `gasQuote.maxAmount`. */
export interface ExecutionCosts {
  readonly gasUsd: number;
  /** Gas of a full redeem at the same gas price; 0 when the operation redeems everything. */
  readonly exitGasUsd: number;
  /**
   * Days until the yield at `apy.month` has paid for both. A rebalance counts its gain over the source. `null` for a
   * redeem, without a gain, and without a price of the asset.
   */
  readonly breakEvenDays: number | null;
}

interface PrepareBase {
  readonly operation: Operation;
  readonly intentId: Hex;
  readonly source?: RebalanceSource;
  readonly target?: RebalanceTarget;
}

export interface PrepareSetupResponse extends PrepareBase {
  readonly needsSetup: true;
  readonly setupType: SetupType;
  /** Absent for a vault without measured numbers. */
  readonly strategy?: SetupStrategy;
  readonly setup: SetupBlock;
  readonly setupTicket: SetupTicket;
  /** `null` where the wallet cannot be set up without ether. */
  readonly gaslessSetup: GaslessSetup | null;
  readonly execution: null;
  readonly intentEnvelope: null;
}

export interface PrepareExecutionResponse extends PrepareBase {
  readonly needsSetup: false;
  readonly strategy?: ExecutionStrategy;
  readonly execution: Execution;
}

export type PrepareResponse = PrepareSetupResponse | PrepareExecutionResponse;
