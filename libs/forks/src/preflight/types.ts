import type { UserOperation } from '@yield-vault/protocol';
import type { Address, Hex, Log } from 'viem';
import type { ActiveFork } from '../types.js';

/** The fields of the newest known block that a simulation needs. */
export interface NewestBlock {
  /** Unix seconds. */
  readonly timestamp: bigint;
  /** `null` on a chain without a base fee. */
  readonly baseFeePerGas: bigint | null;
}

export interface SimulatedCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
  /** Without it the call pays nothing. */
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
}

/** What replaces the state of accounts. */
export type StateOverrides = Readonly<
  Record<
    Address,
    {
      readonly balance?: bigint;
      readonly code?: Hex;
      readonly stateDiff?: Readonly<Record<Hex, Hex>>;
    }
  >
>;

/** Result of one call. */
export interface SimulatedCallResult {
  /** `halt`: out of gas, an invalid opcode, or any other end without revert data. */
  readonly status: 'success' | 'revert' | 'halt';
  readonly gasUsed: bigint;
  /** Returned data, or revert data. */
  readonly returnData: Hex;
  readonly logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[];
}

/** Why a node refused to run a call: no block could contain it. */
export type RefusalReason =
  'INSUFFICIENT_BALANCE' | 'INTRINSIC_GAS_TOO_LOW' | 'FEE_TOO_LOW' | 'BLOCK_OUT_OF_ORDER' | 'NOT_INCLUDED';

/** Results of calls that ran one after the other in one block, or why none of them ran. */
export type SimulatedCalls =
  { readonly calls: readonly SimulatedCallResult[] } | { readonly refused: RefusalReason };

/** A signed user operation to simulate as the bundler would send it. */
export interface UserOperationRequest {
  readonly chain: string;
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
  /** Implementation that the sender delegates to by an EIP-7702 authorization that is not mined yet. */
  readonly pendingDelegation?: Address;
}

/** Result of an operation in its bundle. */
export type OperationOutcome =
  | {
      readonly success: true;
      /** `actualGasUsed` of the `UserOperationEvent`. */
      readonly operationGasUsed: bigint;
    }
  | {
      readonly success: false;
      /** Decoded, e.g. `INSUFFICIENT_BALANCE` or `ERC4626ExceededMaxDeposit`. */
      readonly revertReason: string;
      /** Set when the entry point refused the operation. */
      readonly aaCode?: string;
      readonly revertData: Hex;
    };

/** A simulated user operation. Only `UserOperationEvent.success` counts as success. */
export type UserOperationSimulation = OperationOutcome & Pick<ActiveFork, 'backend'>;
