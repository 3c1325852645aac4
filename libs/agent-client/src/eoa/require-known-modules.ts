import type { Address } from 'viem';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { UnknownModulesError } from './errors.js';
import { askingNode } from './steps/asking-node.js';
import { deploymentsOn } from './steps/deployments-on.js';
import { readWalletModules } from './steps/read-wallet-modules.js';
import type { DelegationRpc, DescribeOptions } from './types.js';

/**
 * Check, before a setup is signed, that it would put no module in charge of the wallet but those of the address book: what
 * earlier code left in the storage of our account counts as soon as the wallet delegates to it.
 *
 * @throws {UnknownModulesError} when it would
 * @throws {NodeFailedError} when the node gives no usable answer
 * @throws {UnknownChainError} when the address book has no deployment on the node's chain
 */
export async function requireKnownModules(
  rpc: Pick<DelegationRpc, 'getChainId' | 'getStorageAt'>,
  wallet: Address,
  { addressBook = agentAddressBook }: DescribeOptions = {},
): Promise<void> {
  const { modules, modulesComplete } = await askingNode(async () => {
    const deployments = deploymentsOn(addressBook, await rpc.getChainId());
    return readWalletModules(rpc, wallet, deployments);
  });
  const unknown = modules.filter(({ known }) => !known).map(({ address }) => address);
  if (unknown.length > 0 || !modulesComplete) throw new UnknownModulesError(unknown);
}
