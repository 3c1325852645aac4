import type { PreparedIntentEnvelope } from './intent-envelope.js';
import type { GaslessSetup, SetupBlock, SetupTicket, SetupType } from './setup.js';
import type { Address, Digits, Hash32, Hex, Integer } from './values.js';
import type { Warning } from './vault-facts.js';
import type { Apy, Risk, RiskLevel, Strategy } from './vault.js';

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

/**
 * Where a rebalance goes; the query of prepare. `targetVaultId` excludes the others. Without any, to the best vault by
 * `balanced`. @request
 */
export interface RebalanceSteering {
  readonly targetVaultId?: string;
  /** The preset that ranks the targets. */
  readonly strategy?: Strategy;
  /** The highest risk level of the target. */
  readonly riskTolerance?: RiskLevel;
}

/** The vault that the setup leads to. */
export interface SetupStrategy {
  /** Name of the vault. @example {vaultName} */
  readonly vaultName: string;
  /** APY of the last day, in percent; the past, not a promise. The same as apyNow. @example 4.12 */
  readonly expectedAPY: number;
  /** Risk level in a word, not a score. The same as riskLevel. @example low */
  readonly riskScore: RiskLevel;
  /** APY of the last day, in percent. @example 4.12 */
  readonly apyNow: number;
  /** Risk level of the vault. @example low */
  readonly riskLevel: RiskLevel;
}

/** The vault that the operation moves funds to. @schema Strategy */
export interface ExecutionStrategy extends SetupStrategy {
  /** Protocol that runs the vault. @example {protocol} */
  readonly protocol: string;
  /** Chain key. @example base */
  readonly chain: string;
  /** Assets under management, in USD. @example 1250000 */
  readonly tvl: number;
}

/** The vault to redeem from. */
export interface RebalanceSource {
  /** Id of the vault. @example {vaultId} */
  readonly vaultId: Digits;
  /** Name of the vault. @example {vaultName} */
  readonly vaultName: string;
  /** APY in percent. */
  readonly apy: Apy;
  /** Risk of the vault. */
  readonly risk: Risk;
  /** Assets under management, in USD. @example 1250000 */
  readonly tvlUsd: number;
}

/** The vault to move to. */
export interface RebalanceTarget extends RebalanceSource {
  /** Ranking score from 0 to 100, by the strategy of the request. @example 87.42 */
  readonly compositeScore: number;
}

/** Least result that the chain enforces; base units. */
export interface Slippage {
  /** Tolerance in basis points. @example 50 */
  readonly maxSlippageBps: Integer;
  /** Least result: assets of a redeem, else shares. @example 24375000 */
  readonly minOut: Digits;
  /** Expected result, in the same units. @example 24500000 */
  readonly quotedOut: Digits;
}

/** Expected cost of the gas; base units of the token. */
export interface GasQuote {
  /** Token that pays. @example {usdc} */
  readonly token: Address;
  /**
   * Never more than this. With the service's own paymaster it is signed with the operation, and the chain enforces
   * it. @example 250000
   */
  readonly maxAmount: Digits;
  /** Expected amount. @example 12300 */
  readonly expectedAmount: Digits;
}

/**
 * Expected costs in USD, where one USDC counts as one USD. For information: gasQuote.maxAmount is the limit.
 */
export interface ExecutionCosts {
  /** Gas of this operation: gasQuote.expectedAmount in USD. @example 0.0123 */
  readonly gasUsd: number;
  /** Gas of a full redeem at the same gas price. 0 when this operation redeems everything. @example 0.0119 */
  readonly exitGasUsd: number;
  /**
   * Days until the yield has paid for both: 365 × ln(1 + (gasUsd + exitGasUsd) / depositUsd) / ln(1 +
   * apy.month / 100). A rebalance counts its gain over the source: it divides by ln(1 + target.apy.month /
   * 100) - ln(1 + source.apy.month / 100), and in place of exitGasUsd takes what leaving costs more than
   * before. 0 when nothing is to pay. null for a redeem, for a yield or gain of zero or less, and for an asset without a
   * known price.
   * @example 8.7
   */
  readonly breakEvenDays: number | null;
}

/** Expected costs in USD of a wallet that is not set up, estimated before anything is signed. */
export interface SetupCosts extends ExecutionCosts {
  /**
   * Gas of the setup. breakEvenDays counts it too. A setup within a deposit costs about as much. 0 where the service pays
   * for gas. @example 0.0025
   */
  readonly setupGasUsd: number;
}

/** The payload to sign and execute. */
export interface Execution {
  /** The envelope to sign and submit. */
  readonly intentEnvelope: PreparedIntentEnvelope;
  /** The entry point. @example {entryPoint} */
  readonly to: Address;
  /** callData of the operation. @example 0x */
  readonly calldata: Hex;
  /** Sum of the gas limits of the operation. @example 650000 */
  readonly estimatedGas: Digits;
  /** Least result that the chain enforces. */
  readonly slippage: Slippage;
  /** What the gas will cost. */
  readonly gasQuote: GasQuote;
  /** Expected costs in USD. */
  readonly costs: ExecutionCosts;
  /** Reasons to look twice; empty when there is none. */
  readonly warnings: readonly Warning[];
  /**
   * What signing this does and costs, in plain words, with the warnings.
   * @example Deposits 25 USDC into …
   */
  readonly summary: string;
}

/** The wallet needs a setup first; any operation. @local */
export interface PrepareSetupResponse {
  /** The operation asked for. @example deposit */
  readonly operation: Operation;
  /** Hash of the setup ticket. @example {hash32} */
  readonly intentId: Hash32;
  /** Sign the setup, call setup-relay, then prepare again. */
  readonly needsSetup: true;
  /** What to set up. @example full */
  readonly setupType: SetupType;
  /** The vault that the setup leads to; absent for a vault without measured numbers. */
  readonly strategy?: SetupStrategy;
  /** The setup transaction to sign. */
  readonly setup: SetupBlock;
  /** Pass it to setup-relay unchanged. */
  readonly setupTicket: SetupTicket;
  /**
   * Another way for a deposit that needs no ether: sign its documents, then call gasless-setup. null where there is
   * none.
   */
  readonly gaslessSetup: GaslessSetup | null;
  /** Expected costs in USD; null while the paymaster does not respond. */
  readonly costs: SetupCosts | null;
  /** null when a setup is needed. */
  readonly execution: null;
  /** null when a setup is needed. The envelope of a wallet that is set up is in `execution`. */
  readonly intentEnvelope: null;
  /** Rebalance only. */
  readonly source?: RebalanceSource;
  /** Rebalance only. */
  readonly target?: RebalanceTarget;
}

/** The operation is ready to sign. */
export interface PrepareExecutionResponse {
  /** The operation. */
  readonly operation: Operation;
  /** Id of the intent: merkleRoot of the envelope. @example {hash32} */
  readonly intentId: Hash32;
  /** The wallet is set up. */
  readonly needsSetup: false;
  /** The vault deposited into; absent for a redeem, and for a vault without measured numbers. */
  readonly strategy?: ExecutionStrategy;
  /** The payload to sign and execute. */
  readonly execution: Execution;
  /** Rebalance only: the vault to leave. */
  readonly source?: RebalanceSource;
  /** Rebalance only: the vault to move to. */
  readonly target?: RebalanceTarget;
}

export type PrepareResponse = PrepareSetupResponse | PrepareExecutionResponse;

// What the service returns: it measures every vault, so it always names the strategy.

/** The wallet needs a setup first; any operation. @schema PrepareSetupResponse */
export interface ServedSetup extends PrepareSetupResponse {
  /** The vault that the setup leads to. */
  readonly strategy: SetupStrategy;
}

/** A deposit, ready to sign. @schema PrepareDepositResponse */
export interface ServedDeposit extends Omit<PrepareExecutionResponse, 'source' | 'target'> {
  /** The operation. */
  readonly operation: 'deposit';
  /** The vault deposited into. */
  readonly strategy: ExecutionStrategy;
}

/** A redeem, ready to sign. @schema PrepareRedeemResponse */
export interface ServedRedeem extends Omit<PrepareExecutionResponse, 'strategy' | 'source' | 'target'> {
  /** The operation. */
  readonly operation: 'redeem';
}

/** A rebalance, ready to sign. @schema PrepareRebalanceResponse */
export interface ServedRebalance extends PrepareExecutionResponse {
  /** The operation. */
  readonly operation: 'rebalance';
  /** The target vault. */
  readonly strategy: ExecutionStrategy;
  /** The vault to leave. */
  readonly source: RebalanceSource;
  /** The vault to move to. */
  readonly target: RebalanceTarget;
}
