import { readInstalledModules, type InstalledModules, type ModuleType } from '@yield-vault/smart-account';
import { getAddress, isAddressEqual, type Address } from 'viem';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { askingNode } from './steps/asking-node.js';
import { deploymentsOn, type ChainDeployments } from './steps/deployments-on.js';
import { readDelegation, type CodeDelegation } from './steps/read-delegation.js';
import { readUsdc } from './steps/read-usdc.js';
import type { Delegation, DelegationReport, DelegationRpc, DescribeOptions, WalletModule } from './types.js';

/**
 * Tell what an externally owned account is delegated to, which modules it has and who may take its USDC. The modules
 * come from the wallet's storage, and no code that the wallet is delegated to is asked about anything but itself.
 *
 * @returns what stands in the latest block
 * @throws {NodeFailedError} when the node gives no usable answer
 * @throws {UnknownChainError} when the address book has no deployment on the node's chain
 * @example
 * (await describeDelegation(rpc, '0x…')).delegation.kind // 'ours'
 */
export async function describeDelegation(
  rpc: DelegationRpc,
  wallet: Address,
  { addressBook = agentAddressBook }: DescribeOptions = {},
): Promise<DelegationReport> {
  return askingNode(async () => {
    const chainId = await rpc.getChainId();
    const deployments = deploymentsOn(addressBook, chainId);
    const [code, installed, usdc, ethWei, latest, pending] = await Promise.all([
      readDelegation(rpc, wallet, deployments),
      readInstalledModules(rpc, wallet),
      readUsdc(rpc, wallet, deployments),
      rpc.getBalance({ address: wallet }),
      rpc.getTransactionCount({ address: wallet }),
      rpc.getTransactionCount({ address: wallet, blockTag: 'pending' }),
    ]);
    return {
      wallet: getAddress(wallet),
      chainId,
      delegation: withMissing(code, installed, deployments),
      modules: modulesOf(installed, deployments),
      modulesComplete: installed.complete,
      allowances: usdc.allowances,
      nonce: { latest, pending },
      ethWei,
      usdcBaseUnits: usdc.balance,
    };
  });
}

function withMissing(
  delegation: CodeDelegation,
  { validators, executors }: InstalledModules,
  deployments: ChainDeployments,
): Delegation {
  if (delegation.kind !== 'ours') return delegation;
  // Deployments with one account and several paymasters differ in the executor; being set up for one of them will do.
  const [missing = []] = deployments
    .filter(({ account }) => isAddressEqual(account, delegation.implementation))
    .map(({ validator, executor }): ModuleType[] => [
      ...(includes(validators, validator) ? [] : (['validator'] as const)),
      ...(includes(executors, executor) ? [] : (['executor'] as const)),
    ])
    .sort((one, other) => one.length - other.length);
  return { ...delegation, missing };
}

function modulesOf(
  { validators, executors }: InstalledModules,
  deployments: ChainDeployments,
): readonly WalletModule[] {
  const list = (type: ModuleType, addresses: readonly Address[]) =>
    addresses.map((address) => ({
      type,
      address,
      known: includes(
        deployments.map((deployment) => deployment[type]),
        address,
      ),
    }));
  return [...list('validator', validators), ...list('executor', executors)];
}

function includes(addresses: readonly Address[], wanted: Address): boolean {
  return addresses.some((address) => isAddressEqual(address, wanted));
}
