import { suiteAddresses } from '@yield-vault/contracts';
import type { Address } from 'viem';
import type { BookDeployment } from '../types.js';
import { ownDeployment, type DeploymentPlace } from './own-deployment.js';

/**
 * Compute the entry of a suite with a paymaster of its own: every address follows from code and from who owns the
 * paymaster, so that its owner is all that has to be believed.
 *
 * @param options.paymasterOwner - may change the markup within its bounds, and take what the paymaster has earned
 * @throws {InvalidAddressBookError} when no USDC is known on the chain
 * @example
 * const ours = deriveDeployment({ chain: 'base', chainId: 8453, paymasterOwner });
 * const addressBook = extendAddressBook(agentAddressBook, { deployments: [ours] });
 */
export function deriveDeployment(
  options: DeploymentPlace & { readonly paymasterOwner: Address },
): BookDeployment {
  const { paymasterOwner, entryPointVersion } = options;
  return ownDeployment(options, suiteAddresses({ paymasterOwner, entryPointVersion }));
}
