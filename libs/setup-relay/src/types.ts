import type { Address, Hex, SignedAuthorizationList } from 'viem';

/** A signed setup transaction taken apart; hex is lower-case. */
export interface SetupTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  /** The same without its signature. */
  readonly unsigned: Hex;
  readonly type: 'eip1559' | 'eip7702';
  readonly chainId: number;
  readonly nonce: number;
  readonly to: Address | undefined;
  /** Wei. */
  readonly value: bigint;
  readonly data: Hex;
  readonly gas: bigint;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  /** Empty for type 2. */
  readonly authorizationList: SignedAuthorizationList;
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly yParity: number };
}
