import { sameHex } from '@yield-vault/protocol';
import { decodeRouterCall, encodeRouterCalls, type RouterCall } from '@yield-vault/smart-account';
import { isAddressEqual, type Address } from 'viem';
import { agentAddressBook } from './address-book.js';
import { deposited, redeemed, summarise, type Effect } from './effects.js';
import { parseCallsExpectations, type CallsExpectations } from './expectations.js';
import { findDeployment, requireChain } from './find-deployment.js';
import { readCalls } from './read-documents.js';
import { requireOperation } from './require-operation.js';
import { demand, resultOf, type Refusal } from './result.js';
import type { VerifyOptions } from './verify-envelope.js';

/** Calls that match the request. */
export interface VerifiedCalls {
  readonly ok: true;
  readonly chainId: number;
  /** The wallet that sends them. */
  readonly from: Address;
  /** Encoded by this verification; send these, in their order and without ether. */
  readonly calls: readonly RouterCall[];
  /** Least result, in base units: shares of a deposit, assets of a redeem. */
  readonly minOut: bigint;
  readonly effects: readonly Effect[];
  /** The effects in words, one line each. */
  readonly summary: readonly string[];
}

export type CallsResult = VerifiedCalls | Refusal;

/**
 * Verify offline that the response of `calls` is exactly the request: an allowance of what the router spends, and one call of
 * the router with your minimum. It does not know the state of the chain.
 *
 * @param response - the response of `calls`, unchanged
 * @param expectations - the request, and the lowest acceptable amount
 * @returns the calls, encoded again, and their effects; or the reason not to send them
 * @throws {InvalidExpectationsError} when the expectations are incomplete or wrong
 * @example
 * const result = verifyCalls(response, {
 *   wallet,
 *   chain: 'base',
 *   operation: { kind: 'deposit', vault, amount: 25_000_000n, minShares },
 * });
 * if (!result.ok) throw new Error(result.reason);
 */
export function verifyCalls(
  response: unknown,
  expectations: CallsExpectations,
  { addressBook = agentAddressBook }: Pick<VerifyOptions, 'addressBook'> = {},
): CallsResult {
  const expected = parseCallsExpectations(expectations);
  return resultOf(() => {
    const { chainId, from, calls: given, minOut } = readCalls(response);
    requireChain(addressBook, expected.chain, chainId);
    demand(isAddressEqual(from, expected.wallet), 'WALLET_MISMATCH', 'from', `It is not ${expected.wallet}.`);
    const field = `calls.${given.length - 1}`;
    const { to, data } = given.at(-1)!;
    const operation = decodeRouterCall(data);
    demand(operation !== undefined, 'CALLDATA_NOT_ALLOWED', `${field}.data`, 'It is no call of the router.');
    const { router, usdc } = findDeployment(addressBook, chainId, [
      [(deployment) => deployment.router, to, 'CALLDATA_NOT_ALLOWED', `${field}.to`],
    ]);
    const { vault, token, amount } = operation;
    const isDeposit = operation.operation === 'deposit';
    const deposit = { hook: 'deposit', vault, token, amount, minShares: operation.minOut } as const;
    const redeem = { hook: 'redeem', vault, token, shares: amount, minAssets: operation.minOut } as const;
    const hooks = isDeposit ? ({ kind: 'deposit', deposit } as const) : ({ kind: 'redeem', redeem } as const);
    requireOperation(hooks, expected.operation, usdc, `${field}.data`);
    demand(minOut === operation.minOut, 'AMOUNT_MISMATCH', 'minOut', `The call has ${operation.minOut}.`);
    const calls = encodeRouterCalls(operation, given.length > 2, router);
    const isCanonical = calls.every((call, index) => {
      const { to, data, value } = given[index] ?? {};
      return to === call.to && sameHex(data, call.data) && Number(value) === 0;
    });
    demand(
      isCanonical && given.length === calls.length,
      'CALLDATA_NOT_ALLOWED',
      'calls',
      'They are not exactly the allowance of the router and its call, in canonical encoding.',
    );
    const effects: Effect[] = [
      { effect: 'approve', token: isDeposit ? token : vault, spender: router, amount },
      ...(isDeposit ? deposited(deposit, from).slice(1) : [redeemed(redeem, from)]),
    ];
    return {
      ok: true,
      chainId,
      from,
      calls,
      minOut,
      effects,
      summary: summarise(effects, chainId, addressBook),
    };
  });
}
