import { formatAmount, UpstreamUnavailableError } from '@yield-vault/protocol';
import { AllowanceTooLowError } from '../errors.js';
import type { Order, Snapshot } from '../types.js';
import { usdcDecimals } from './gas-budget.js';
import { insufficientBalance } from './insufficient-balance.js';
import { spentUsdc } from './spent-usdc.js';

/**
 * Check that the wallet can pay for gas: the paymaster takes all that an operation may cost before it runs, so that
 * it must be there on top of what is deposited.
 *
 * @param budget - base units of USDC
 * @throws {UpstreamUnavailableError} when it is more than the paymaster ever takes for one operation
 * @throws {AllowanceTooLowError} when the paymaster may not take it
 * @throws {InsufficientBalanceError} when it is not there
 */
export function requireGasBudget(order: Order, snapshot: Snapshot, budget: bigint): void {
  const { chain } = order;
  const { operationCeiling } = snapshot.paymaster;
  if (budget > operationCeiling) throw gasTooDear(order, operationCeiling);
  if (snapshot.state.paymasterAllowance < budget) throw new AllowanceTooLowError();

  const spent = spentUsdc(order);
  const required = budget + spent;
  const available = snapshot.usdcBalance;
  if (required <= available) return;
  const what = spent > 0n ? 'USDC (deposit and gas)' : 'USDC for gas';
  throw insufficientBalance({ what, token: chain.usdc, decimals: usdcDecimals, required, available });
}

/** Make the error for an operation whose gas costs more than the paymaster may take, whatever the wallet does. */
export function gasTooDear({ chain }: Order, limit: bigint): UpstreamUnavailableError {
  const most = formatAmount(limit, usdcDecimals);
  return new UpstreamUnavailableError({
    detail: `Gas on ${chain.key} is too dear now: the paymaster takes at most ${most} USDC for one operation.`,
    details: { dependency: `paymaster:${chain.key}` },
    retryAfterSeconds: 60,
  });
}
