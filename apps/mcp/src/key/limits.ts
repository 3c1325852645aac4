import type { BookToken } from '@yield-vault/agent-client';
import { parseAmount } from '@yield-vault/protocol';
import { shippedRegistry } from '@yield-vault/vault-discovery/registry';
import { isAddressEqual, type Address } from 'viem';
import type { KeySettings } from '../settings.js';
import { ToolError } from '../tool-result.js';

type AllowList = Pick<KeySettings, 'allowedVaults'>;

/** Whether the key may act on a vault: of the shipped registry, or of the user. */
export function isAllowedVault({ allowedVaults }: AllowList, chainId: number, vault: Address): boolean {
  const shipped = shippedRegistry().filter((each) => each.chainId === chainId);
  const addresses = [...allowedVaults, ...shipped.map(({ address }) => address)];
  return addresses.some((allowed) => isAddressEqual(allowed, vault));
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
