import type { UserOperation } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/**
 * Who pays the entry point for an operation, and takes USDC for it. Everything else that asks the chain or a service
 * about gas in USDC goes through here.
 */
export interface Paymaster {
  /**
   * Ask what it takes now. Reads of the chain join the batch in which the wallet is read.
   *
   * @throws {UpstreamUnavailableError} when it does not say
   */
  terms(): Promise<PaymasterTerms>;
  /** Say with what an operation is estimated. */
  stub(draft: UserOperation): Promise<PaymasterStub>;
  /**
   * Say with what an operation is signed. Nothing of the operation may change afterwards.
   *
   * @param budget - most that the wallet is told it costs, in base units of USDC
   * @throws {UpstreamUnavailableError} when the paymaster would not take the operation, or take more for it
   */
  seal(operation: UserOperation, stub: PaymasterStub, budget: bigint): Promise<PaymasterSeal>;
}

/** What a paymaster asks for now. */
export interface PaymasterTerms {
  /** Unix seconds; infinite when they do not run out. */
  readonly validUntil: number;
  /** Most that it takes for one operation, in base units of USDC. */
  readonly operationCeiling: bigint;
  /** Least `paymasterPostOpGasLimit` with which it takes an operation. */
  readonly smallestPostOpGas: bigint;
  /** @returns what it takes for so much gas at its present price, in base units of USDC, rounded up */
  charge(use: GasUse): bigint;
}

/** What an operation may use. */
export interface GasUse {
  /** The sum of the five limits for the most it can be, less for an expectation. */
  readonly gas: bigint;
  /** Wei. */
  readonly feePerGas: bigint;
  /** The operation's `paymasterPostOpGasLimit`; 0 for an expectation, which has no penalty for what is unused. */
  readonly postOpGasLimit: bigint;
  /** The operation's `callGasLimit`; 0 likewise. */
  readonly callGasLimit: bigint;
}

/** What an operation is estimated with. */
export interface PaymasterStub {
  /** Limits that are given stay as they are, whatever the estimate says. */
  readonly fields: {
    readonly paymaster: Address;
    readonly paymasterData: Hex;
    readonly paymasterVerificationGasLimit?: bigint;
    readonly paymasterPostOpGasLimit?: bigint;
  };
  /** Whether the data is already what is signed. */
  readonly isFinal: boolean;
}

/** The data that is signed, and when the paymaster accepts it, in Unix seconds; infinite for ever. */
export interface PaymasterSeal {
  readonly paymasterData: Hex;
  readonly validUntil: number;
  readonly validAfter: number;
}
