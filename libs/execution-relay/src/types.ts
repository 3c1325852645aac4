import type { UserOperation } from '@yield-vault/protocol';
import type { ExecutorHook } from '@yield-vault/smart-account';
import type { Hex, Log } from 'viem';
import type { ExecutionChain } from './ports.js';

/** An executor hook on a vault. */
export type VaultHook = Exclude<ExecutorHook, { hook: 'approve-paymaster' }>;

/** A signed intent all of which was recomputed. Whether it may be submitted is another question. */
export interface VerifiedIntent {
  /** The merkle root in lower case. */
  readonly intentId: Hex;
  readonly chain: ExecutionChain;
  /** Carries the packed signature that the validator module expects. */
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
}

/** A user operation in a block. */
export interface Inclusion {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  /** Of the user operation, not of its bundle. */
  readonly success: boolean;
  readonly gasUsed: bigint;
  /** What the operation itself logged. */
  readonly logs: readonly Log[];
  /** What its whole bundle logged. */
  readonly bundleLogs: readonly Log[];
  readonly failure?: { readonly revertReason: string; readonly aaCode?: 'AA50' };
}
