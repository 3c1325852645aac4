import type { Address } from 'viem';

/** Move assets into an ERC-4626 vault. */
export interface DepositHook {
  readonly hook: 'deposit';
  readonly vault: Address;
  /** The asset of the vault. */
  readonly token: Address;
  /** Base units; `previous` is what the hook before brought. */
  readonly amount: bigint | 'previous';
  readonly minShares: bigint;
  /** Leaves one base unit allowed to the vault, which makes the next deposit cheaper. */
  readonly keepOne?: true;
}

/** Take assets out of an ERC-4626 vault. */
export interface RedeemHook {
  readonly hook: 'redeem';
  readonly vault: Address;
  /** The asset of the vault. */
  readonly token: Address;
  /** Base units; `all` is the whole balance at inclusion. */
  readonly shares: bigint | 'all';
  readonly minAssets: bigint;
}

/** Set an allowance: of a paymaster that does not ask the account for its payment. */
export interface ApproveHook {
  readonly hook: 'approve';
  readonly spender: Address;
  readonly token: Address;
  /** Base units of `token`. */
  readonly amount: bigint;
}

/** A step that the default executor runs. Receiver and owner are always the wallet. */
export type ExecutorHook = DepositHook | RedeemHook | ApproveHook;
