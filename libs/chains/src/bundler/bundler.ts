import type { UpstreamUnavailableError, UserOperation } from '@yield-vault/protocol';
import type { Address, Hex, StateOverride } from 'viem';
import type { UserOperationReceipt as ViemUserOperationReceipt } from 'viem/account-abstraction';
import type { BundlerRejection } from './bundler-rejection.js';

/** The receipt of an included user operation. `success` is about the operation, not its bundle. */
export type UserOperationReceipt = ViemUserOperationReceipt<'0.8'>;

/** Gas limits as a bundler estimates them. */
export interface UserOperationGas {
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly paymasterVerificationGasLimit: bigint;
  readonly paymasterPostOpGasLimit: bigint;
}

/** Wei per gas. */
export interface GasPrice {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * The outcome of a send:
 * - `accepted`, `unknown`: it may be included. Only the chain decides. The bundler's `userOpHash` is wrong for an operation with
 *   the EIP-7702 marker and no authorization.
 * - `refused`: the bundler rejected it, and will not include it.
 * - `unsent`: no byte of it left this process.
 */
export type SendOutcome =
  | { readonly outcome: 'accepted'; readonly userOpHash: Hex }
  | { readonly outcome: 'refused'; readonly rejection: BundlerRejection }
  | { readonly outcome: 'unknown'; readonly cause: unknown }
  | { readonly outcome: 'unsent'; readonly error: UpstreamUnavailableError };

/** What a bundler says of a user operation, e.g. `not_found`, `submitted`, `included`. A hint: it may be wrong. */
export interface UserOperationStatus {
  readonly status: string;
  readonly transactionHash: Hex | null;
}

/**
 * A bundler of one chain and entry point.
 *
 * Every other method throws `BundlerRejection` when the bundler says no, and `UpstreamUnavailableError` when it gives no
 * usable response.
 */
export interface Bundler {
  chainId(): Promise<number>;
  supportedEntryPoints(): Promise<readonly Address[]>;
  /** @param nodeFees - what the node says, where it is known: the response when the bundler has no method for fees */
  gasPrice(nodeFees?: Promise<GasPrice>): Promise<GasPrice>;
  /** @param stateOverride - state to estimate on top of, e.g. of a vault that is to be tried */
  estimate(userOp: UserOperation, stateOverride?: StateOverride): Promise<UserOperationGas>;
  /** Submit once, without retries; its `authorization` goes as `eip7702Auth`. Never throws. */
  send(userOp: UserOperation): Promise<SendOutcome>;
  /** @returns `null` while it is not included, or unknown */
  receipt(userOpHash: Hex): Promise<UserOperationReceipt | null>;
  /** @returns `undefined` where the bundler does not say. Never throws. */
  status(userOpHash: Hex): Promise<UserOperationStatus | undefined>;
}
