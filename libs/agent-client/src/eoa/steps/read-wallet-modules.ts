import { readInstalledModules, type ModuleType } from '@yield-vault/smart-account';
import { isAddressEqual, type Address } from 'viem';
import type { DelegationReport, DelegationRpc } from '../types.js';
import type { ChainDeployments } from './deployments-on.js';

/** Read the modules in a wallet's storage, and tell those that the address book has from others. */
export async function readWalletModules(
  rpc: Pick<DelegationRpc, 'getStorageAt'>,
  wallet: Address,
  deployments: ChainDeployments,
): Promise<Pick<DelegationReport, 'modules' | 'modulesComplete'>> {
  const { validators, executors, complete } = await readInstalledModules(rpc, wallet);
  const list = (type: ModuleType, addresses: readonly Address[]) =>
    addresses.map((address) => ({
      type,
      address,
      known: deployments.some((deployment) => isAddressEqual(deployment[type], address)),
    }));
  return {
    modules: [...list('validator', validators), ...list('executor', executors)],
    modulesComplete: complete,
  };
}
