import type { BookToken } from '@yield-vault/agent-client';
import { parseAmount } from '@yield-vault/protocol';
import { shippedRegistry } from '@yield-vault/vault-discovery/registry';
import { isAddressEqual, type Address } from 'viem';
import type { KeySettings } from './settings.js';
import { ToolError } from './tool-result.js';

type AllowList = Pick<KeySettings, 'allowedVaults'>;

/** List the vaults of a chain that the key may act on: those of the shipped registry, and those of the user. */
export function allowedVaultsOn({ allowedVaults }: AllowList, chainId: number): readonly Address[] {
  const shipped = shippedRegistry().filter((vault) => vault.chainId === chainId);
  return [...allowedVaults, ...shipped.map(({ address }) => address)];
}

/** Whether the key may act on a vault. */
export function isAllowedVault(key: AllowList, chainId: number, vault: Address): boolean {
  return allowedVaultsOn(key, chainId).some((allowed) => isAddressEqual(allowed, vault));
}

/** @throws {ToolError} `VAULT_NOT_ALLOWED` */
export function requireAllowedVault(key: AllowList, chainId: number, vault: Address): void {
  if (isAllowedVault(key, chainId, vault)) return;
  throw new ToolError(
    'VAULT_NOT_ALLOWED',
    `${vault} is neither in the shipped registry nor in ALLOWED_VAULTS.`,
    'Choose a vault that discover_vaults marks as allowed. If there is none, the user must add one to ALLOWED_VAULTS.',
  );
}

/**
 * Check the amount of a deposit.
 *
 * @throws {ToolError} `MAX_AMOUNT_EXCEEDED`
 * @throws {InvalidParametersError} when it is no amount of the token
 */
export function requireMaxAmount(
  { maxAmounts }: Pick<KeySettings, 'maxAmounts'>,
  { symbol, decimals }: Pick<BookToken, 'symbol' | 'decimals'>,
  amount: string,
): void {
  const most = maxAmounts[symbol.toUpperCase()];
  if (most !== undefined && parseAmount(amount, decimals) <= parseAmount(most, decimals, 'MAX_AMOUNT'))
    return;
  throw new ToolError(
    'MAX_AMOUNT_EXCEEDED',
    `amount is ${amount} ${symbol}; MAX_AMOUNT allows ${most ?? 'no'} ${symbol} in one deposit.`,
    'Deposit at most that. Only the user can change MAX_AMOUNT.',
  );
}
