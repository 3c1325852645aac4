import type { VaultHook, VaultHooks } from '@yield-vault/smart-account';
import { isAddressEqual, type Address } from 'viem';
import type { ExpectedOperation } from './expectations.js';
import { demand, refuse, type VerificationReason } from './result.js';

/**
 * Check that hooks match the request: the same vaults, asset and amounts, and minimums that are no lower.
 *
 * @param field - that a refusal names
 */
export function requireOperation(
  hooks: VaultHooks,
  expected: ExpectedOperation,
  usdc: Address,
  field: string,
): void {
  const asset = expected.asset ?? usdc;
  const check = (condition: boolean, reason: VerificationReason, detail: string): void =>
    demand(condition, reason, field, detail);
  const requirePlace = ({ hook, vault, token }: VaultHook, vaults: readonly Address[]) => {
    const named = vaults.some((one) => isAddressEqual(one, vault));
    check(named, 'VAULT_MISMATCH', `The ${hook} is on ${vault}, which was not requested.`);
    check(isAddressEqual(token, asset), 'ASSET_MISMATCH', `The ${hook} moves ${token}, not ${asset}.`);
  };
  const requireMinimum = (minimum: bigint, least: bigint, what: string) =>
    check(minimum >= least, 'MINIMUM_TOO_LOW', `It accepts ${minimum} ${what}, below ${least}.`);

  if (expected.kind === 'deposit' && hooks.kind === 'deposit') {
    requirePlace(hooks.deposit, [expected.vault]);
    check(
      hooks.deposit.amount === expected.amount,
      'AMOUNT_MISMATCH',
      `It deposits ${hooks.deposit.amount}.`,
    );
    requireMinimum(hooks.deposit.minShares, expected.minShares, 'shares');
  } else if (expected.kind === 'redeem' && hooks.kind === 'redeem') {
    requirePlace(hooks.redeem, [expected.vault]);
    check(
      isExpected(hooks.redeem.shares, expected.shares),
      'AMOUNT_MISMATCH',
      `It redeems ${hooks.redeem.shares}.`,
    );
    requireMinimum(hooks.redeem.minAssets, expected.minAssets, 'assets');
  } else if (expected.kind === 'rebalance' && hooks.kind === 'rebalance') {
    requirePlace(hooks.redeem, [expected.from]);
    requirePlace(hooks.deposit, [expected.to].flat());
    const isMove = !isAddressEqual(hooks.redeem.vault, hooks.deposit.vault);
    check(isMove, 'VAULT_MISMATCH', 'It moves the position into the vault that it leaves.');
    check(hooks.redeem.shares === 'all', 'AMOUNT_MISMATCH', 'It does not move the whole position.');
    requireMinimum(hooks.redeem.minAssets, expected.minAssets, 'assets');
    requireMinimum(hooks.deposit.minShares, expected.minShares, 'shares');
  } else {
    refuse('OPERATION_MISMATCH', field, `It is a ${hooks.kind}, not a ${expected.kind}.`);
  }
}

type Redeem = Extract<ExpectedOperation, { kind: 'redeem' }>;

function isExpected(shares: bigint | 'all', expected: Redeem['shares']): boolean {
  if (typeof expected !== 'object') return shares === expected;
  return typeof shares === 'bigint' && shares <= expected.atMost;
}
