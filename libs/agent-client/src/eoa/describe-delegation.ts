import type { ModuleType } from '@yield-vault/smart-account';
import { getAddress, isAddressEqual, type Address } from 'viem';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { askingNode } from './steps/asking-node.js';
import { deploymentsOn, type ChainDeployments } from './steps/deployments-on.js';
import { readDelegation, type CodeDelegation } from './steps/read-delegation.js';
import { readUsdc } from './steps/read-usdc.js';
import { readWalletModules } from './steps/read-wallet-modules.js';
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
      readWalletModules(rpc, wallet, deployments),
      readUsdc(rpc, wallet, deployments),
      rpc.getBalance({ address: wallet }),
      rpc.getTransactionCount({ address: wallet }),
      rpc.getTransactionCount({ address: wallet, blockTag: 'pending' }),
    ]);
    return {
      wallet: getAddress(wallet),
      chainId,
      delegation: withMissing(code, installed.modules, deployments),
      ...installed,
      allowances: usdc.allowances,
      nonce: { latest, pending },
      ethWei,
      usdcBaseUnits: usdc.balance,
    };
  });
}

function withMissing(
  delegation: CodeDelegation,
  modules: readonly WalletModule[],
  deployments: ChainDeployments,
): Delegation {
  if (delegation.kind !== 'ours') return delegation;
  const isInstalled = (type: ModuleType, address: Address) =>
    modules.some((module) => module.type === type && isAddressEqual(module.address, address));
  // Deployments with one account and several paymasters differ in the executor; being set up for one of them will do.
  const [missing = []] = deployments
    .filter(({ account }) => isAddressEqual(account, delegation.implementation))
    .map((deployment) =>
      (['validator', 'executor'] as const).filter((type) => !isInstalled(type, deployment[type])),
    )
    .sort((one, other) => one.length - other.length);
  return { ...delegation, missing };
}
