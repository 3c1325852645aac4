import {
  CallDataNotAllowedError,
  decodeAccountCall,
  type ApprovePaymasterHook,
  type DepositHook,
  type ExecutorHook,
  type RedeemHook,
} from '@yield-vault/smart-account';
import type { Address, Hex } from 'viem';
import { refuse } from '../refused.js';

/** The hooks of an operation, by what they are together. */
export type OperationHooks = {
  /** Renews the allowance of the paymaster, behind all others. */
  readonly allowance?: ApprovePaymasterHook;
} & (
  | { readonly kind: 'deposit'; readonly deposit: DepositHook & { readonly amount: bigint } }
  | { readonly kind: 'redeem'; readonly redeem: RedeemHook }
  | { readonly kind: 'rebalance'; readonly redeem: RedeemHook; readonly deposit: DepositHook }
);

const field = 'userOps.0.userOperation.callData';

/** Read call data that is one of the sequences that prepare builds, in its one encoding and order. */
export function readHooks(callData: Hex, executor: Address): OperationHooks {
  const hooks = decode(callData, executor);
  const last = hooks.at(-1);
  return last?.hook === 'approve-paymaster'
    ? { ...vaultHooks(hooks.slice(0, -1)), allowance: last }
    : vaultHooks(hooks);
}

function vaultHooks([first, second, ...others]: readonly ExecutorHook[]): OperationHooks {
  if (others.length === 0) {
    if (first?.hook === 'redeem' && !second) return { kind: 'redeem', redeem: first };
    if (first?.hook === 'deposit' && first.amount !== 'previous' && !second) {
      return { kind: 'deposit', deposit: { ...first, amount: first.amount } };
    }
    if (first?.hook === 'redeem' && second?.hook === 'deposit' && second.amount === 'previous') {
      return { kind: 'rebalance', redeem: first, deposit: second };
    }
  }
  return refuse(
    'CALLDATA_NOT_ALLOWED',
    field,
    'The hooks are not those of one operation that prepare builds.',
  );
}

function decode(callData: Hex, executor: Address): readonly ExecutorHook[] {
  try {
    return decodeAccountCall(callData, executor);
  } catch (error) {
    if (!(error instanceof CallDataNotAllowedError)) throw error;
    return refuse(
      'CALLDATA_NOT_ALLOWED',
      field,
      `The call data is not one call of the executor: ${error.message}.`,
    );
  }
}
