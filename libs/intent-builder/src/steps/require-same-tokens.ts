import { isAddressEqual } from 'viem';
import type { Order, Reading, Snapshot } from '../types.js';
import { enteredVault } from './entered-vault.js';
import { entryHazard } from './entry-hazard.js';

/**
 * Check that the vault that an order enters is the one of the catalogue: every amount is computed by its asset and
 * its decimals.
 *
 * @throws {NoSuitableVaultsError} with `details.hazard`
 */
export function requireSameTokens(order: Order, { entered }: Pick<Snapshot, 'entered'>): void {
  const vault = enteredVault(order);
  if (!vault || !entered) return;
  const { asset, shareDecimals } = vault;
  if (!says(entered.asset, (address) => isAddressEqual(address, asset.address)))
    throw entryHazard(order, 'ASSET_MISMATCH', 'its asset is not the one that the catalogue names');
  if (!says(entered.assetDecimals, (decimals) => decimals === asset.decimals))
    throw entryHazard(order, 'DECIMALS_MISMATCH', `its asset does not have ${asset.decimals} decimals`);
  if (!says(entered.shareDecimals, (decimals) => decimals === shareDecimals))
    throw entryHazard(order, 'DECIMALS_MISMATCH', `its shares do not have ${shareDecimals} decimals`);
}

const says = <T>(reading: Reading<T>, isExpected: (value: T) => boolean): boolean =>
  'value' in reading && isExpected(reading.value);
