import { quoteReason } from '@yield-vault/contracts';
import {
  formatAmount,
  NoSuitableVaultsError,
  type Json,
  type RankedVault,
  type Vault,
} from '@yield-vault/protocol';
import { isAddressEqual } from 'viem';
import { applyMargin } from './gas/budget.js';
import type { Quotes } from './operation.js';
import { depositVaultOf, isRanked, redeemThenDeposit } from './request.js';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest, DepositVaultReadings, Reading, WalletSnapshot } from './types.js';

/** The checks that a deposit vault can fail: the values of `details.hazard`. */
export const vaultChecks = [
  'ASSET_MISMATCH',
  'DECIMALS_MISMATCH',
  'EMPTY_VAULT',
  'TINY_DEPOSIT',
  'NO_EXIT_QUOTE',
  'ROUND_TRIP_LOSS',
  'ROUND_TRIP_GAIN',
  'PRICE_JUMP',
] as const;
/** One of {@link vaultChecks}. */
export type VaultCheck = (typeof vaultChecks)[number];

const raiseAmount = 'Raise the amount.';
type Thresholds = Pick<IntentBuilderOptions, 'minShares' | 'maxRoundTripLossBps' | 'maxPriceJumpBps'>;

// The worth of one whole share has too few digits, so 10^6 shares are read, as the catalogue does.
const extraDecimals = 6;

/** The base units of shares whose worth is read as the share price. */
export const sharePriceProbe = ({ shareDecimals }: Pick<Vault, 'shareDecimals'>): bigint =>
  10n ** BigInt(shareDecimals + extraDecimals);

/** Whole assets for one whole share, from the worth of {@link sharePriceProbe}. */
const sharePriceOf = ({ asset }: Pick<Vault, 'asset'>, worth: bigint): number =>
  Number(worth) / 10 ** (asset.decimals + extraDecimals);

/**
 * Check that the deposit vault has the tokens of the catalogue: all amounts depend on its asset and its decimals.
 *
 * @throws {NoSuitableVaultsError} with the failed check in its details
 */
export function checkVaultTokens(
  request: CheckedRequest,
  { depositVault: readings }: Pick<WalletSnapshot, 'depositVault'>,
): void {
  const vault = depositVaultOf(request);
  if (!vault || !readings) return;
  const { asset, shareDecimals } = vault;
  if (!matches(readings.asset, (address) => isAddressEqual(address, asset.address)))
    throw failedCheck(vault, request, 'ASSET_MISMATCH', 'its asset differs from the catalogue');
  if (!matches(readings.assetDecimals, (decimals) => decimals === asset.decimals))
    throw failedCheck(
      vault,
      request,
      'DECIMALS_MISMATCH',
      `its asset does not have ${asset.decimals} decimals`,
    );
  if (!matches(readings.shareDecimals, (decimals) => decimals === shareDecimals))
    throw failedCheck(
      vault,
      request,
      'DECIMALS_MISMATCH',
      `its shares do not have ${shareDecimals} decimals`,
    );
}

/**
 * Check the price of the deposit vault, which an earlier depositor may have manipulated, and what the vault keeps of a
 * deposit. A minimum of shares does not help, because it follows from the same price.
 *
 * @throws {NoSuitableVaultsError} with the failed check in its details
 */
export function checkVaultPrice(
  request: CheckedRequest,
  { depositVault: readings }: Pick<WalletSnapshot, 'depositVault'>,
  { redeemed, deposited }: Quotes,
  thresholds: Thresholds,
): void {
  const vault = depositVaultOf(request);
  if (!vault || !readings) return;
  const fail: Fail = (...reason) => failedCheck(vault, request, ...reason);
  const assets = request.operation === 'deposit' ? request.assets : redeemed;
  checkShares(vault, readings, deposited, thresholds, fail);
  checkRoundTrip(readings, assets, thresholds, fail);
  checkPriceJump(vault, readings, thresholds, fail);
}

type Fail = (
  check: VaultCheck,
  reason: string,
  details?: Readonly<Record<string, Json>>,
  cure?: string,
) => NoSuitableVaultsError;

function checkShares(
  vault: Vault,
  { totalShares, price }: DepositVaultReadings,
  deposited: bigint,
  { minShares }: Thresholds,
  fail: Fail,
): void {
  const total = 'value' in totalShares ? totalShares.value : 0n;
  // The holder of the only shares can set the price of the next ones by a donation.
  if (total < minShares)
    throw fail('EMPTY_VAULT', 'it has next to no depositors', { totalShares: String(total) });
  // With fewer shares, rounding costs more than a thousandth.
  if (deposited < minShares) {
    const worth = 'value' in price ? (minShares * price.value) / sharePriceProbe(vault) : 0n;
    // Two percent, so that a rising price does not refuse again.
    const minAmount = formatAmount(applyMargin(worth, 102n) + 1n, vault.asset.decimals);
    throw fail(
      'TINY_DEPOSIT',
      `the deposit brings only ${deposited} base units of shares, and needs ${minShares}`,
      { shares: String(deposited), minShares: String(minShares), ...(worth > 0n && { minAmount }) },
      worth > 0n ? 'Raise the amount to details.minAmount.' : raiseAmount,
    );
  }
}

function checkRoundTrip(
  { returned }: DepositVaultReadings,
  assets: bigint,
  { maxRoundTripLossBps }: Thresholds,
  fail: Fail,
): void {
  if ('revertReason' in returned) {
    const { revertReason } = returned;
    throw fail('NO_EXIT_QUOTE', `it quotes no redeem of its shares (${quoteReason(revertReason)})`, {
      revertReason,
    });
  }
  const details = { assets: String(assets), returned: String(returned.value) };
  const inBps = returned.value * 10_000n;
  if (inBps < assets * BigInt(10_000 - maxRoundTripLossBps)) {
    // A deposit and a redeem each round down by at most one base unit.
    const cure = assets - returned.value <= 2n ? raiseAmount : undefined;
    throw fail('ROUND_TRIP_LOSS', 'an immediate redeem would pay back too little', details, cure);
  }
  // The quote is wrong: a redeem would miss its minimum, and the shares could not leave.
  if (inBps > assets * BigInt(10_000 + maxRoundTripLossBps))
    throw fail('ROUND_TRIP_GAIN', 'its quotes pay back more than the deposit', details);
}

function checkPriceJump(
  vault: Vault | RankedVault,
  { price }: DepositVaultReadings,
  { maxPriceJumpBps }: Thresholds,
  fail: Fail,
): void {
  // A vault without a price has no fresh samples either: the catalogue drops it.
  if (!isRanked(vault) || !vault.sharePrice || 'revertReason' in price) return;
  const now = sharePriceOf(vault, price.value);
  if (Math.abs(now / vault.sharePrice - 1) * 10_000 <= maxPriceJumpBps) return;
  throw fail('PRICE_JUMP', 'its share price has jumped since the last sample', {
    sharePrice: now,
    sampledSharePrice: vault.sharePrice,
  });
}

const matches = <T>(reading: Reading<T>, isExpected: (value: T) => boolean): boolean =>
  'value' in reading && isExpected(reading.value);

function failedCheck(
  { vaultId, name }: Vault,
  { operation }: CheckedRequest,
  check: VaultCheck,
  reason: string,
  details: Readonly<Record<string, Json>> = {},
  cure = 'Call discover and choose another vault.',
): NoSuitableVaultsError {
  return new NoSuitableVaultsError({
    detail: `${name} takes no deposit now: ${reason}.`,
    nextAction: operation === 'rebalance' ? redeemThenDeposit : cure,
    details: { vaultId, hazard: check, ...details },
  });
}
