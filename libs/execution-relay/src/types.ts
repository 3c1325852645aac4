import type { ExecuteResponse, UpstreamUnavailableError, UserOperation } from '@yield-vault/protocol';
import type { Hex, Log } from 'viem';
import type { ExecutionChain, VaultMove } from './ports.js';

/** A signed intent whose hash, root and signer match. It may still be unsubmittable. */
export interface VerifiedIntent {
  /** The merkle root in lower case. */
  readonly intentId: Hex;
  readonly chain: ExecutionChain;
  /** Carries the packed signature of the validator module. */
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
  readonly blockHash: Hex;
  /** Of the user operation, not of its bundle. */
  readonly success: boolean;
  readonly gasUsed: bigint;
  /** Logs of the operation itself. */
  readonly logs: readonly Log[];
  /** Logs of its whole bundle. */
  readonly bundleLogs: readonly Log[];
  readonly failure?: { readonly revertReason: string; readonly aaCode?: 'AA50' };
}

/** Block and transaction of a user operation. */
export type Location =
  | { readonly kind: 'included'; readonly inclusion: Inclusion }
  /** Another operation used its nonce. */
  | {
      readonly kind: 'nonce-used';
      /** The block in which it was used, or the last block that could include the operation. */
      readonly blockNumber: bigint;
    }
  /** Nothing proves yet by which operation its nonce was used. */
  | {
      readonly kind: 'unclear';
      /** Why the node did not say. */
      readonly failure?: UpstreamUnavailableError;
    }
  /** Its nonce is unused. */
  | {
      readonly kind: 'open';
      /** Of the newest block, in Unix seconds. */
      readonly timestamp: bigint;
      /** The newest block. */
      readonly blockNumber: bigint;
      /** False when an operation before it is still missing. */
      readonly isNext: boolean;
    };

/** Whether this ledger sent an operation. */
export type Sending =
  | {
      readonly kind: 'sent';
      /** No earlier block can include it. */
      readonly since: bigint;
    }
  /** Another one may have sent it, or this ledger lost that it did. */
  | { readonly kind: 'not-sent' };

/** Where to search for an operation on chain. */
export interface Search {
  readonly sending: Sending;
  /** Blocks to search before the submission, and after the expiry. */
  readonly searchBlocks: bigint;
}

/** An operation that only the chain can decide: this ledger sent it, or may have lost that it did. */
export interface Submission {
  readonly sending: Sending;
  readonly moves: readonly VaultMove[];
  /** What the chain showed so far, while it may still be reorganised. */
  readonly response?: ExecuteResponse;
}
