import type { UserOperation } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** Pays the entry point for an operation, and takes USDC for it. All quotes of gas in USDC come from here. */
export interface Paymaster {
  /**
   * Read the present terms. Reads of the chain join the batch of the wallet's reads.
   *
   * @throws {UpstreamUnavailableError} when there are none
   */
  terms(): Promise<PaymasterTerms>;
  /** Get the paymaster fields for an estimate. */
  stub(draft: UserOperation): Promise<PaymasterStub>;
  /**
   * Get the paymaster data to sign. The operation must not change afterwards.
   *
   * @param budget - the maximum cost that the response quotes, in base units of USDC
   * @throws {UpstreamUnavailableError} when the paymaster rejects the operation, or takes more for it
   */
  data(operation: UserOperation, stub: PaymasterStub, budget: bigint): Promise<PaymasterApproval>;
}

/** The present terms of a paymaster. */
export interface PaymasterTerms {
  /** Unix seconds; infinite when they do not expire. */
  readonly validUntil: number;
  /** The paymaster's limit for one operation, in base units of USDC. */
  readonly operationCeiling: bigint;
  /** The smallest `paymasterPostOpGasLimit` that the paymaster accepts. */
  readonly smallestPostOpGas: bigint;
  /** The same, two minutes later. */
  readonly laterPostOpGas: bigint;
  /** @returns the charge for this gas at the present price, in base units of USDC, rounded up */
  charge(use: GasUse): bigint;
}

/** The gas to charge for. */
export interface GasUse {
  /** The sum of the five limits for a maximum, less for an expectation. */
  readonly gas: bigint;
  /** Wei. */
  readonly feePerGas: bigint;
  /** The operation's `paymasterPostOpGasLimit`; 0 for an expectation, which has no penalty for unused gas. */
  readonly postOpGasLimit: bigint;
}

/** The paymaster fields for an estimate. */
export interface PaymasterStub {
  /** Given limits are final; the estimate does not change them. */
  readonly fields: {
    readonly paymaster: Address;
    readonly paymasterData: Hex;
    readonly paymasterVerificationGasLimit?: bigint;
    readonly paymasterPostOpGasLimit?: bigint;
  };
  /** The smallest limit to take from an estimate. Bundlers may estimate on storage that is already warm. */
  readonly smallestVerificationGas?: bigint;
  /** The account pays only with a real signature, so the estimate lacks its payment. */
  readonly isWithoutPayment?: true;
  /** Whether the data is final. */
  readonly isFinal: boolean;
}

/** The paymaster data to sign, and when the paymaster accepts it, in Unix seconds; `validUntil` may be infinite. */
export interface PaymasterApproval {
  readonly paymasterData: Hex;
  readonly validUntil: number;
  readonly validAfter: number;
}
