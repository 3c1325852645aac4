import type { ActiveChain } from '@yield-vault/chains';
import type { Address, Hex } from 'viem';

/** A chain to follow. */
export type FollowedChain = Pick<
  ActiveChain,
  'key' | 'chainId' | 'rpc' | 'entryPoint' | 'contracts' | 'usdc'
>;

/** The contracts whose share tokens are followed, listed in discover or not. */
export interface VaultsPort {
  addresses(chain: string): readonly Address[];
}

/** A block. */
export interface Header {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly logsBloom: Hex | null;
}

/** The newest block whose events are stored. */
export type Cursor = Pick<Header, 'number' | 'hash' | 'timestamp'>;

/** Blocks that were read together: one near the newest, a range before. */
export interface ReadBlocks {
  readonly fromBlock: bigint;
  readonly last: Header;
}

/** An operation that a call waits for. */
export interface AwaitedOperation {
  readonly chainId: number;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly userOpHash: Hex;
  /** No block up to this one includes it. */
  readonly after: bigint;
}

/** How a wait for an operation ended. */
export type Sighting =
  /** A block included it. The block may be replaced since. */
  | { readonly kind: 'included'; readonly txHash: Hex }
  /** Its nonce may be used: only a read of the chain can say more. */
  | { readonly kind: 'unclear' }
  /** Nothing was seen in time. */
  | { readonly kind: 'unseen' }
  /** Nobody follows the chain now: the caller has to read it. */
  | { readonly kind: 'silent' };
