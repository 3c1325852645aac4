import { executionModel, InternalError, type ExecuteResponse, type ListedVault } from '@yield-vault/protocol';
import type { VaultsPort } from '../ports.js';
import type { Inclusion, VaultHook, VerifiedIntent } from '../types.js';
import { gasPaid } from './gas-paid.js';
import { positionUpdate } from './position-update.js';

/** Build the answer for an operation that succeeded on chain. */
export function buildResponse(
  intent: VerifiedIntent,
  inclusion: Inclusion,
  vaults: VaultsPort,
): ExecuteResponse {
  const { chain, userOpHash, operation, vaultHooks } = intent;
  const paid = gasPaid(chain, userOpHash, operation.sender, inclusion);
  const update = (hook: VaultHook, gas = paid) =>
    positionUpdate(hook.hook, requireVault(vaults, chain.chainId, hook), operation.sender, inclusion, gas);
  // A rebalance is a redeem followed by a deposit: the position that counts is the new one, and it bears the gas.
  const [source, target] = vaultHooks.length === 2 ? vaultHooks : [undefined, ...vaultHooks];
  return {
    executionModel,
    result: 'executed',
    userOpHash,
    txHash: inclusion.txHash,
    chainId: chain.chainId,
    chain: chain.key,
    receipt: {
      status: inclusion.success ? 'success' : 'reverted',
      gasUsed: inclusion.gasUsed.toString(),
      blockNumber: Number(inclusion.blockNumber),
    },
    explorerUrl: chain.explorerTxUrl(inclusion.txHash),
    positionUpdate: update(target as VaultHook),
    ...(source && { sourcePositionUpdate: update(source, { ...paid, amount: '0' }) }),
  };
}

// It was known when the intent was verified; only a contract that stopped answering leaves the catalogue meanwhile.
function requireVault(vaults: VaultsPort, chainId: number, { vault }: VaultHook): ListedVault {
  const known = vaults.byAddress(chainId, vault);
  if (!known) throw new InternalError({ detail: `The vault ${vault} left the catalogue.` });
  return known;
}
