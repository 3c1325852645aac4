import { formatUnits, isAddressEqual, type Address } from 'viem';
import type { AddressBook, Effect } from '../types.js';

/** Say what effects are in words, one line each. */
export function summarise(
  effects: readonly Effect[],
  chainId: number,
  { tokens }: AddressBook,
): readonly string[] {
  const amountOf = (amount: bigint, address: Address, unknownUnit: string): string => {
    const token = tokens.find((one) => one.chainId === chainId && isAddressEqual(one.address, address));
    return token
      ? `${formatUnits(amount, token.decimals)} ${token.symbol}`
      : `${amount} base units of ${unknownUnit} ${address}`;
  };
  return effects.map((effect) => describe(effect, amountOf));
}

type Format = (amount: bigint, token: Address, unknownUnit: string) => string;

function describe(effect: Effect, format: Format): string {
  const assets = (amount: bigint | 'previous', token: Address) =>
    amount === 'previous' ? 'all that the redeem brought' : format(amount, token, 'token');
  const shares = (amount: bigint | 'all', vault: Address) =>
    amount === 'all' ? 'all shares' : format(amount, vault, 'share token');
  switch (effect.effect) {
    case 'pay-gas': {
      const most = `${format(effect.maxUsdc, effect.token, 'token')} for gas`;
      const terms = effect.boundBy === 'terms' ? ', by its terms,' : ',';
      const price = `${terms} while an ether costs at most ${effect.maxEthUsd} USD`;
      return `pay at most ${most} to paymaster ${effect.paymaster}${price}, until ${timeOf(effect.until)}`;
    }
    case 'approve':
      return `approve ${assets(effect.amount, effect.token)} to vault ${effect.spender}`;
    case 'deposit': {
      const least = format(effect.minShares, effect.vault, 'share token');
      return `deposit ${assets(effect.amount, effect.token)} into ${effect.vault} for at least ${least}, to yourself`;
    }
    case 'redeem': {
      const least = format(effect.minAssets, effect.token, 'token');
      return `redeem ${shares(effect.shares, effect.vault)} of ${effect.vault} for at least ${least}, to yourself`;
    }
    case 'approve-paymaster': {
      const amount = format(effect.amount, effect.token, 'token');
      return `set the allowance of paymaster ${effect.spender} to ${amount}`;
    }
    case 'delegate': {
      const replaced = effect.replaces ? `, in place of ${effect.replaces}` : '';
      return `delegate your wallet to ${effect.implementation}${replaced}`;
    }
    case 'install':
      return `install the ${effect.module} module ${effect.address}`;
  }
}

function timeOf(unixSeconds: number): string {
  const lastOfDate = 8_640_000_000_000;
  if (unixSeconds > lastOfDate) return `second ${unixSeconds}`;
  return new Date(unixSeconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC');
}
