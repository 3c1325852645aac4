import { percentageToFraction } from '@yield-vault/protocol';
import type { Order, Snapshot } from '../types.js';
import { smallestGasBudget } from './gas-budget.js';
import { insufficientBalance } from './insufficient-balance.js';
import { requireGasBudget } from './require-gas-budget.js';
import { sharesOf } from './shares-of.js';

/**
 * Refuse what the wallet cannot afford before anything is estimated: an estimate of it would only revert.
 *
 * @throws {InsufficientBalanceError} for the asset, the shares or the USDC for gas
 * @throws {AllowanceTooLowError} when the paymaster may not even take the least that an operation costs
 */
export function requireBalances(order: Order, snapshot: Snapshot): void {
  if (order.instruction.operation === 'deposit') requireAssets(order, snapshot, order.instruction.assets);
  else requireShares(order, snapshot);
  requireGasBudget(order, snapshot, smallestGasBudget(snapshot));
}

function requireAssets({ vault }: Order, { assetBalance }: Snapshot, required: bigint): void {
  if (required <= assetBalance) return;
  const { symbol, address, decimals } = vault.asset;
  throw insufficientBalance({ what: symbol, token: address, decimals, required, available: assetBalance });
}

function requireShares(order: Order, { shareBalance }: Snapshot): void {
  const { name, vaultAddress, shareDecimals } = order.vault;
  const shares = sharesOf(order, shareBalance);
  if (shares > 0n && shares <= shareBalance) return;
  throw insufficientBalance({
    what: `shares of ${name}`,
    token: vaultAddress,
    decimals: shareDecimals,
    required: shares > 0n ? shares : smallestBalance(order, shareBalance),
    available: shareBalance,
  });
}

// A percentage of nothing, or of a few base units, is nothing: this is the balance of which it is one base unit.
function smallestBalance({ instruction }: Order, shareBalance: bigint): bigint {
  if (instruction.operation !== 'redeem' || 'shares' in instruction.amount) return 1n;
  const { numerator, denominator } = percentageToFraction(instruction.amount.percentage);
  // A percentage so small that it is written as none.
  if (numerator === 0n) return shareBalance + 1n;
  return (denominator + numerator - 1n) / numerator;
}
