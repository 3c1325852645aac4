import { NoSuitableVaultsError, type Json, type ListedVault } from '@yield-vault/protocol';
import { isAddressEqual } from 'viem';
import type { VaultCatalogue } from '../ports.js';
import { describeTarget } from './describe-order.js';

/** What else to do where a target cannot be entered: the interface leaves its choice to us. */
export const redeemThenDeposit = 'Redeem, then deposit into a vault of your choice.';

const strategy = 'balanced';

/**
 * Choose where a rebalance moves to: the best vault of the same asset, which must rank above the source.
 *
 * @throws {NoSuitableVaultsError} with the source and the best other vault in `details`
 */
export function chooseTarget(source: ListedVault, vaults: VaultCatalogue): ListedVault {
  const { chain, asset, vaultId } = source;
  // Tokens of one symbol are not always the same.
  const isFit = (vault: ListedVault) =>
    vault.vaultId !== vaultId && isAddressEqual(vault.asset.address, asset.address);
  const target = vaults.best?.(chain, asset.symbol, strategy).find(isFit);
  if (target && scoreOf(target) > scoreOf(source)) return target;
  const place = `for ${asset.symbol} on ${chain}`;
  throw new NoSuitableVaultsError({
    detail: target ? `${source.name} is the best vault ${place}.` : `There is no other vault ${place}.`,
    nextAction: 'Stay in the vault, or redeem and choose another one.',
    details: { source: summarise(source), target: target ? summarise(target) : null },
  });
}

const scoreOf = (vault: ListedVault) => vault.compositeScores[strategy];

function summarise(vault: ListedVault): Json {
  const { apy, risk, ...facts } = describeTarget(vault);
  return { ...facts, apy: { ...apy }, risk: { ...risk } };
}
