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

/** Whether a bundler reports that it does not hold an operation. */
export const isNotHeld = ({ status }: UserOperationStatus): boolean => /^(not_found|rejected)$/.test(status);

/**
 * The bundler, or the bundlers, of one chain and entry point. A method throws `UpstreamUnavailableError` when there is no
 * usable response. `estimate` throws `BundlerRejection` when the bundler responds with an error.
 */
export interface Bundler {
  /** @param nodeFees - fees of the node where they are known; the result when the bundler has no method for fees */
  gasPrice(nodeFees?: Promise<GasPrice>): Promise<GasPrice>;
  /** @param stateOverride - state to assume, for example a balance; left out where the bundler takes none */
  estimate(userOp: UserOperation, stateOverride?: StateOverride): Promise<UserOperationGas>;
  /** Submit once, without retries; its `authorization` goes as `eip7702Auth`. Never throws. */
  send(userOp: UserOperation): Promise<SendOutcome>;
  /** @returns `null` while it is not included, or unknown, or where the bundler has no receipts */
  receipt(userOpHash: Hex): Promise<UserOperationReceipt | null>;
  /** @returns `undefined` where the bundler does not say. Never throws. */
  status(userOpHash: Hex): Promise<UserOperationStatus | undefined>;
  /**
   * Ask whether the bundler holds an operation, or has submitted it. `not-held` proves nothing: it may have lost it.
   *
   * @throws {UpstreamUnavailableError} when the request fails
   */
  holds(userOpHash: Hex): Promise<'held' | 'not-held' | 'unsupported'>;
}

/** The client of one bundler. `chainId` and `supportedEntryPoints` throw as `estimate` does. */
export interface BundlerClient extends Bundler {
  /** In logs and metrics: `bundler:base`, and `bundler:base:2` for the second one of the chain. */
  readonly name: string;
  chainId(): Promise<number>;
  supportedEntryPoints(): Promise<readonly Address[]>;
  /** Find out which optional methods the bundler has, unless that is known. Never throws. */
  probeMethods(): Promise<void>;
}
