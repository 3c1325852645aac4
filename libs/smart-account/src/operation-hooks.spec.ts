import { encodeAccountCall } from './account-call.js';
import { CallDataNotAllowedError } from './errors.js';
import type { ExecutorHook } from './executor-hook.js';
import { parseOperationHooks } from './operation-hooks.js';

const token = '0x24872E442ec6C3c827EceCeB545D8B18f7809A22';
const place = { vault: '0x1111111111111111111111111111111111111111', token } as const;
const deposit = { hook: 'deposit', ...place, amount: 5n, minShares: 4n } as const;
const redeem = { hook: 'redeem', ...place, shares: 'all', minAssets: 4n } as const;
const proceeds = { ...deposit, amount: 'previous' } as const;
const approve = { hook: 'approve', spender: token, token, amount: 1n } as const;

const parse = (hooks: readonly ExecutorHook[]) => parseOperationHooks(encodeAccountCall(hooks));

describe('parseOperationHooks', () => {
  it.each<[string, readonly ExecutorHook[], object]>([
    ['deposit', [deposit], { deposit, approvals: [], approvalsLast: true }],
    ['redeem', [redeem, approve], { redeem, approvals: [approve], approvalsLast: true }],
    ['rebalance', [redeem, proceeds], { redeem, deposit: proceeds, vaultHooks: [redeem, proceeds] }],
    ['deposit', [approve, deposit], { deposit, approvals: [approve], approvalsLast: false }],
  ])('default: %s', (kind, hooks, expected) => {
    expect(parse(hooks)).toMatchObject({ kind, ...expected });
  });

  it.each<[string, readonly ExecutorHook[]]>([
    ['only an approval', [approve]],
    ['two deposits', [deposit, deposit]],
    ['a deposit of proceeds without a redeem', [proceeds]],
    ['a redeem and a deposit of an own amount', [redeem, deposit]],
    ['a deposit before its redeem', [proceeds, redeem]],
    ['a third vault hook', [redeem, proceeds, deposit]],
  ])('error: CallDataNotAllowedError for %s', (_, hooks) => {
    expect(() => parse(hooks)).toThrow(CallDataNotAllowedError);
  });
});
