import { encodeFunctionData, type Address } from 'viem';
import { canonical, entryPointDeployment, type SuiteEntryPointVersion } from '../address-book.js';
import {
  localCirclePaymasterAbi,
  localCirclePaymasterDeployedBytecode,
} from '../generated/LocalCirclePaymaster.js';
import { fundLocalPaymaster } from './fund-local-paymaster.js';
import type { LocalChainId } from './local-chain.js';
import { asLocalOperator, sendAsLocalOperator, type LocalNode } from './local-node.js';

/** The terms that Circle's paymaster had on each chain when this was written. */
export const localCircleTerms: Readonly<
  Record<LocalChainId, { readonly additionalGasCharge: bigint; readonly feeSpreadBps: bigint }>
> = {
  1: { additionalGasCharge: 35_000n, feeSpreadBps: 0n },
  8453: { additionalGasCharge: 35_000n, feeSpreadBps: 1_000n },
};

/**
 * Put a stand-in for Circle's paymaster at Circle's address on a provisioned local chain, funded and staked at its
 * entry point, which has to be there.
 *
 * @param node A client of an Anvil chain on which nobody else acts as the local operator meanwhile.
 * @returns Its address.
 * @throws {Error} When Circle has no paymaster for this entry point on this chain.
 */
export async function placeLocalCirclePaymaster(
  node: LocalNode,
  chainId: LocalChainId,
  entryPointVersion: SuiteEntryPointVersion = '0.8',
): Promise<Address> {
  const addresses: Partial<Record<LocalChainId, Address>> = canonical.circlePaymaster[entryPointVersion];
  const address = addresses[chainId];
  if (address === undefined) {
    throw new Error(`Circle has no paymaster for EntryPoint v${entryPointVersion} on chain ${chainId}`);
  }
  const { additionalGasCharge, feeSpreadBps } = localCircleTerms[chainId];
  const configure = encodeFunctionData({
    abi: localCirclePaymasterAbi,
    functionName: 'configure',
    args: [additionalGasCharge, feeSpreadBps],
  });
  await node.request({ method: 'anvil_setCode', params: [address, localCirclePaymasterDeployedBytecode] });
  await asLocalOperator(node, async () => {
    await sendAsLocalOperator(node, address, configure);
    await fundLocalPaymaster(node, address, entryPointDeployment(entryPointVersion).address);
  });
  return address;
}
