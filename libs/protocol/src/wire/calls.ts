import type { Address, Digits, Hex } from './values.js';

export const callOperations = ['deposit', 'redeem'] as const;

export type CallOperation = (typeof callOperations)[number];

export interface CallsRequest {
  readonly operation: CallOperation;
  readonly chain: string;
  /** The wallet that will send the calls. */
  readonly from: Address;
  readonly vaultId: string;
  /** Deposit. Human units of the asset. */
  readonly amount?: string;
  /** Redeem. Base units of the share token. */
  readonly shares?: string;
  /** Redeem. Above 0, at most 100. */
  readonly percentage?: number;
}

/** One call of the wallet. */
export interface WalletCall {
  /** The contract. @example {router} */
  readonly to: Address;
  /** Call data. @example 0x */
  readonly data: Hex;
  /** Wei to send along, in hex. @example 0x0 */
  readonly value: Hex;
}

/** Unsigned calls for any wallet, in the form of `wallet_sendCalls` (EIP-5792). */
export interface CallsResponse {
  /** Version of EIP-5792. */
  readonly version: '2.0.0';
  /** Chain id in hex. @example 0x2105 */
  readonly chainId: Hex;
  /** The wallet. @example {agentAddress} */
  readonly from: Address;
  /** Whether the calls need one atomic batch. false: a wallet may also send them one after the other. @example false */
  readonly atomicRequired: boolean;
  /** Send them in this order. The last one reverts when it brings less than minOut. */
  readonly calls: readonly WalletCall[];
  /** Least result that the router enforces: shares of a deposit, assets of a redeem, in base units. @example 24375000 */
  readonly minOut: Digits;
  /** What the calls do, in plain words. @example Deposits 25 USDC into … */
  readonly summary: string;
}
