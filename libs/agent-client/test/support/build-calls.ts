import { encodeRouterCalls, type RouterOperation } from '@yield-vault/smart-account';
import type { CallsResponse } from '@yield-vault/protocol';
import { numberToHex } from 'viem';
import { deposit, redeem, wallet } from './build-prepared.js';

const { vault, token } = deposit;
export const routerDeposit: RouterOperation = {
  operation: 'deposit',
  vault,
  token,
  amount: deposit.amount,
  minOut: deposit.minShares,
};
export const routerRedeem: RouterOperation = {
  operation: 'redeem',
  vault,
  token,
  amount: redeem.shares,
  minOut: redeem.minAssets,
};

/** Build the response of calls as the service does. */
export function buildCalls(operation = routerDeposit, resetsAllowance = false): CallsResponse {
  const calls = encodeRouterCalls(operation, resetsAllowance);
  return {
    version: '2.0.0',
    chainId: numberToHex(8453),
    from: wallet,
    atomicRequired: false,
    calls: calls.map((call) => ({ ...call, value: '0x0' })),
    minOut: operation.minOut.toString(),
    summary: 'Deposits 25 USDC.',
  };
}
