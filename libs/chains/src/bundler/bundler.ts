import type { UserOperation } from '@yield-vault/protocol';
import type { Address, Hex, StateOverride } from 'viem';
import type { UserOperationReceipt as ViemUserOperationReceipt } from 'viem/account-abstraction';

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

/** Where a bundler says a user operation is. The block is `null` while it waits. */
export interface KnownUserOperation {
  readonly entryPoint: Address;
  readonly transactionHash: Hex | null;
  readonly blockNumber: bigint | null;
}

/**
 * A bundler of one chain and entry point.
 *
 * Every method throws `BundlerRejection` when the bundler says no, and `UpstreamUnavailableError` when it gives no
 * usable response.
 */
export interface Bundler {
  chainId(): Promise<number>;
  supportedEntryPoints(): Promise<readonly Address[]>;
  /** @param nodeFees - what the node says, where it is known: the response when the bundler has no method for fees */
  gasPrice(nodeFees?: Promise<GasPrice>): Promise<GasPrice>;
  /** @param stateOverride - state to estimate on top of, e.g. of a vault that is to be tried */
  estimate(userOp: UserOperation, stateOverride?: StateOverride): Promise<UserOperationGas>;
  /**
   * Submit once, without retries. After an `UpstreamUnavailableError` the outcome is unknown: look up the hash.
   * An operation that the bundler already knows counts as submitted.
   *
   * @returns the user operation hash
   */
  send(userOp: UserOperation): Promise<Hex>;
  /** @returns `null` while it is not included, or unknown */
  receipt(userOpHash: Hex): Promise<UserOperationReceipt | null>;
  /** @returns `null` when the bundler does not know it */
  get(userOpHash: Hex): Promise<KnownUserOperation | null>;
}
