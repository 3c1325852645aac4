import type { Address, Hex } from 'viem';

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
