import type { DepositHook, RedeemHook } from '@yield-vault/smart-account';
import { isAddressEqual, type Address } from 'viem';
import { demand, refuse } from '../refused.js';
import type { ExpectedOperation } from '../types.js';
import type { VerificationReason } from '../verification-reason.js';
import type { OperationHooks } from './read-hooks.js';

type Redeem = Extract<ExpectedOperation, { kind: 'redeem' }>;

/** Check that hooks do what was asked for: the same vaults, asset and amounts, and minimums that are no lower. */
export function requireOperation(hooks: OperationHooks, expected: ExpectedOperation, usdc: Address): void {
  const asset = expected.asset ?? usdc;
  if (expected.kind === 'deposit' && hooks.kind === 'deposit') {
    requirePlace(hooks.deposit, [expected.vault], asset);
    check(
      hooks.deposit.amount === expected.amount,
      'AMOUNT_MISMATCH',
      `It deposits ${hooks.deposit.amount}.`,
    );
    requireMinimum(hooks.deposit.minShares, expected.minShares, 'shares');
  } else if (expected.kind === 'redeem' && hooks.kind === 'redeem') {
    requirePlace(hooks.redeem, [expected.vault], asset);
    check(
      isAskedFor(hooks.redeem.shares, expected.shares),
      'AMOUNT_MISMATCH',
      `It redeems ${hooks.redeem.shares}.`,
    );
    requireMinimum(hooks.redeem.minAssets, expected.minAssets, 'assets');
  } else if (expected.kind === 'rebalance' && hooks.kind === 'rebalance') {
    requirePlace(hooks.redeem, [expected.from], asset);
    requirePlace(hooks.deposit, [expected.to].flat(), asset);
    check(hooks.redeem.shares === 'all', 'AMOUNT_MISMATCH', 'It does not move the whole position.');
    requireMinimum(hooks.redeem.minAssets, expected.minAssets, 'assets');
    requireMinimum(hooks.deposit.minShares, expected.minShares, 'shares');
  } else {
    refuse('OPERATION_MISMATCH', field, `It is a ${hooks.kind}, not a ${expected.kind}.`);
  }
}

const field = 'userOps.0.userOperation.callData';

function check(condition: boolean, reason: VerificationReason, detail: string): void {
  demand(condition, reason, field, detail);
}

function requirePlace(
  { hook, vault, token }: DepositHook | RedeemHook,
  vaults: readonly Address[],
  asset: Address,
): void {
  const named = vaults.some((one) => isAddressEqual(one, vault));
  check(named, 'VAULT_MISMATCH', `The ${hook} is on ${vault}, which was not asked for.`);
  check(isAddressEqual(token, asset), 'ASSET_MISMATCH', `The ${hook} moves ${token}, not ${asset}.`);
}

function isAskedFor(shares: bigint | 'all', expected: Redeem['shares']): boolean {
  if (typeof expected !== 'object') return shares === expected;
  return typeof shares === 'bigint' && shares <= expected.atMost;
}

function requireMinimum(minimum: bigint, least: bigint, what: string): void {
  check(minimum >= least, 'MINIMUM_TOO_LOW', `It is content with ${minimum} ${what}, below ${least}.`);
}
