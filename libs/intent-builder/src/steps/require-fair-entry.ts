import type { EnteredVaultReadings, IntentBuilderOptions, Order, Snapshot } from '../types.js';
import { enteredVault } from './entered-vault.js';
import { entryHazard } from './entry-hazard.js';
import type { Quotes } from './quotes-of.js';
import { sharePriceOf } from './share-price.js';

type Thresholds = Pick<IntentBuilderOptions, 'minShares' | 'maxRoundTripLossBps' | 'maxPriceJumpBps'>;

/**
 * Refuse to enter a vault whose price an earlier depositor may have made, or that keeps a part of what it is given.
 * A minimum of shares does not help: it follows from the same price.
 *
 * @throws {NoSuitableVaultsError} with `details.hazard`
 */
export function requireFairEntry(
  order: Order,
  { entered }: Pick<Snapshot, 'entered'>,
  { redeemed, deposited }: Quotes,
  thresholds: Thresholds,
): void {
  if (!entered) return;
  const { instruction } = order;
  const assets = instruction.operation === 'deposit' ? instruction.assets : redeemed;
  requireShares(order, entered, deposited, thresholds);
  requireReturn(order, entered, assets, thresholds);
  requirePrice(order, entered, thresholds);
}

function requireShares(
  order: Order,
  { totalShares }: EnteredVaultReadings,
  deposited: bigint,
  { minShares }: Thresholds,
): void {
  const total = 'value' in totalShares ? totalShares.value : 0n;
  // Who holds the only shares sets the price of the next ones by a gift to the vault.
  if (total < minShares)
    throw entryHazard(order, 'EMPTY_VAULT', 'it has next to no depositors', { totalShares: String(total) });
  // Down to here, rounding a share off costs a thousandth.
  if (deposited < minShares)
    throw entryHazard(order, 'TINY_DEPOSIT', `it gives only ${deposited} base units of shares for this`, {
      shares: String(deposited),
      minShares: String(minShares),
    });
}

function requireReturn(
  order: Order,
  { returned }: EnteredVaultReadings,
  assets: bigint,
  { maxRoundTripLossBps }: Thresholds,
): void {
  if ('revertReason' in returned) {
    const reason = `it does not say what its shares pay (${returned.revertReason})`;
    throw entryHazard(order, 'NO_EXIT_QUOTE', reason, { revertReason: returned.revertReason });
  }
  const details = { assets: String(assets), returned: String(returned.value) };
  const inBps = returned.value * 10_000n;
  if (inBps < assets * BigInt(10_000 - maxRoundTripLossBps))
    throw entryHazard(order, 'ROUND_TRIP_LOSS', 'it would pay back too little of this at once', details);
  // Nobody gives money away: what a redeem misses of its quote would keep the shares in for good.
  if (inBps > assets * BigInt(10_000 + maxRoundTripLossBps))
    throw entryHazard(order, 'ROUND_TRIP_GAIN', 'it says that it pays back more than it takes', details);
}

function requirePrice(order: Order, { price }: EnteredVaultReadings, { maxPriceJumpBps }: Thresholds): void {
  const vault = enteredVault(order);
  // A vault without an answer has no fresh samples either: its ranking runs out.
  if (!vault?.sharePrice || 'revertReason' in price) return;
  const now = sharePriceOf(vault, price.value);
  if (Math.abs(now / vault.sharePrice - 1) * 10_000 <= maxPriceJumpBps) return;
  throw entryHazard(order, 'PRICE_JUMP', 'its share price has jumped since it was sampled', {
    sharePrice: now,
    sampledSharePrice: vault.sharePrice,
  });
}
