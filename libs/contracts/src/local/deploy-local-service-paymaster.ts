import { concat, encodeDeployData, getContractAddress, zeroHash, type Address } from 'viem';
import { canonical, entryPointDeployment, type SuiteEntryPointVersion } from '../address-book.js';
import {
  localServicePaymasterAbi,
  localServicePaymasterBytecode,
} from '../generated/LocalServicePaymaster.js';
import { fundLocalPaymaster } from './fund-local-paymaster.js';
import { asLocalOperator, sendAsLocalOperator, type LocalNode } from './local-node.js';

/**
 * Deploy a paymaster that pays for what a service has signed, funded and staked at its entry point, which has to be
 * there.
 *
 * @param node A client of an Anvil chain on which nobody else acts as the local operator meanwhile.
 * @param service Address of the key that the service signs with.
 * @returns Its address.
 */
export async function deployLocalServicePaymaster(
  node: LocalNode,
  service: Address,
  entryPointVersion: SuiteEntryPointVersion = '0.8',
): Promise<Address> {
  const entryPoint = entryPointDeployment(entryPointVersion).address;
  const bytecode = encodeDeployData({
    abi: localServicePaymasterAbi,
    bytecode: localServicePaymasterBytecode,
    args: [entryPoint, service],
  });
  const from = canonical.create2Deployer;
  const address = getContractAddress({ opcode: 'CREATE2', from, salt: zeroHash, bytecode });
  await asLocalOperator(node, async () => {
    await sendAsLocalOperator(node, from, concat([zeroHash, bytecode]));
    await fundLocalPaymaster(node, address, entryPoint);
  });
  return address;
}
