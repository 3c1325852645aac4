import type { Hex } from 'viem';
import { decodeAccountCall } from './account-call.js';
import { CallDataNotAllowedError } from './errors.js';
import type { ApproveHook, DepositHook, RedeemHook } from './executor-hook.js';

/** An executor hook on a vault. */
export type VaultHook = DepositHook | RedeemHook;

/** A deposit, a redeem, or a redeem and the deposit of its proceeds. */
export type VaultHooks =
  | { readonly kind: 'deposit'; readonly deposit: DepositHook & { readonly amount: bigint } }
  | { readonly kind: 'redeem'; readonly redeem: RedeemHook }
  | { readonly kind: 'rebalance'; readonly redeem: RedeemHook; readonly deposit: DepositHook };

/** The hooks of one operation. */
export type OperationHooks = {
  /** The one or two hooks on vaults, in their order. */
  readonly vaultHooks: readonly VaultHook[];
  /** The hooks that set allowances. Prepare adds at most one, for the paymaster, as the last hook. */
  readonly approvals: readonly ApproveHook[];
  /** Whether all approvals come after the vault hooks. */
  readonly approvalsLast: boolean;
} & VaultHooks;

/**
 * Parse the call data of a user operation into the hooks of one deposit, redeem or rebalance.
 *
 * @throws {CallDataNotAllowedError} unless it is exactly one call of `runHooks` with such hooks, in canonical encoding
 */
export function parseOperationHooks(callData: Hex): OperationHooks {
  const hooks = decodeAccountCall(callData);
  const vaultHooks = hooks.filter((hook) => hook.hook !== 'approve');
  const approvals = hooks.filter((hook) => hook.hook === 'approve');
  // There are as many vault hooks as places before the approvals, so everything after them must be an approval.
  const approvalsLast = hooks.slice(vaultHooks.length).every((hook) => hook.hook === 'approve');
  return { ...parseVaultHooks(vaultHooks), vaultHooks, approvals, approvalsLast };
}

function parseVaultHooks([first, second, ...others]: readonly VaultHook[]) {
  if (others.length === 0) {
    if (first?.hook === 'redeem' && !second) return { kind: 'redeem', redeem: first } as const;
    if (first?.hook === 'deposit' && first.amount !== 'previous' && !second)
      // Narrows the type: not `previous`.
      return { kind: 'deposit', deposit: { ...first, amount: first.amount } } as const;
    if (first?.hook === 'redeem' && second?.hook === 'deposit' && second.amount === 'previous')
      return { kind: 'rebalance', redeem: first, deposit: second } as const;
  }
  throw new CallDataNotAllowedError(
    'the hooks are neither a deposit, nor a redeem, nor a redeem and the deposit of its proceeds',
  );
}
