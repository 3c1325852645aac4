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
      /** Block of that operation; `undefined` where the nonce was used long ago, without an event. */
      readonly blockNumber: bigint | undefined;
    }
  /** The node cannot tell yet whether its nonce is used, or by which operation. */
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

/** Where to search for an operation on chain. */
export interface Search {
  /** No earlier block can include it. */
  readonly since: bigint | undefined;
  /** It was submitted a few blocks ago and has no result, so an open nonce decides nothing. */
  readonly isAwaited?: boolean;
  /** The minimum number of blocks to search. */
  readonly searchBlocks: bigint;
  /** No block after this time can include it; Unix seconds. Given only where the search may begin long after it. */
  readonly until?: number;
}

/** An operation that only the chain can decide: it may have been sent, or its nonce was already used. */
export interface Submission {
  /** No earlier block can include it; `undefined` when this ledger never sent it, and its nonce is used. */
  readonly since: bigint | undefined;
  readonly moves: readonly VaultMove[];
  /** What the chain showed so far, while it may still be reorganised. */
  readonly response?: ExecuteResponse;
}
