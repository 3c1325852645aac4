import { sameHex } from '@yield-vault/protocol';
import { CallDataNotAllowedError, decodeAccountCall } from '@yield-vault/smart-account';
import type { Hex } from 'viem';
import { invalid } from '../errors.js';
import type { ExecutionChain, VaultMove, VaultsPort } from '../ports.js';
import type { VaultHook } from '../types.js';

/**
 * Check that call data is nothing but executor hooks in a sequence that prepare builds, on known vaults with their
 * own asset. The hooks name no receiver: it is always the account.
 *
 * @returns what it does at the vaults: one deposit, one redeem, or a redeem and the deposit of what it brings
 * @throws {TransactionValidationError} with reason CALLDATA_NOT_ALLOWED or UNLISTED_VAULT
 */
export function checkCallData(
  callData: Hex,
  chain: ExecutionChain,
  vaults: VaultsPort,
): readonly VaultMove[] {
  return vaultHooksOf(callData, chain).map((hook) => {
    const vault = vaults.byAddress(chain.chainId, hook.vault);
    if (!vault || !sameHex(vault.asset.address, hook.token)) {
      throw invalid('UNLISTED_VAULT', `The vault ${hook.vault} is not listed with this asset.`, {
        vault: hook.vault,
      });
    }
    return {
      hook: hook.hook,
      vaultId: vault.vaultId,
      vaultAddress: vault.vaultAddress,
      vaultName: vault.name,
      shareDecimals: vault.shareDecimals,
      assetDecimals: vault.asset.decimals,
    };
  });
}

/**
 * Take the hooks on vaults out of call data.
 *
 * @throws {TransactionValidationError} with reason CALLDATA_NOT_ALLOWED
 */
export function vaultHooksOf(callData: Hex, chain: Pick<ExecutionChain, 'contracts'>): readonly VaultHook[] {
  const hooks = decode(callData, chain).filter((hook) => hook.hook !== 'approve-paymaster');
  if (!isKnownSequence(hooks)) {
    throw invalid(
      'CALLDATA_NOT_ALLOWED',
      'The hooks are neither a deposit, nor a redeem, nor a redeem and the deposit of what it brings.',
    );
  }
  return hooks;
}

function decode(callData: Hex, chain: Pick<ExecutionChain, 'contracts'>) {
  try {
    return decodeAccountCall(callData, chain.contracts.executor);
  } catch (error) {
    if (!(error instanceof CallDataNotAllowedError)) throw error;
    throw invalid('CALLDATA_NOT_ALLOWED', 'The call data is not a call of the executor with its hooks.');
  }
}

function isKnownSequence([first, second, ...others]: readonly VaultHook[]): boolean {
  if (!first || others.length > 0) return false;
  if (!second) return first.hook === 'redeem' || first.amount !== 'previous';
  return first.hook === 'redeem' && second.hook === 'deposit' && second.amount === 'previous';
}
