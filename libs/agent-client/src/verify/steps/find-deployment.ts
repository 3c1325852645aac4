import { isAddressEqual, type Address } from 'viem';
import { refuse } from '../refused.js';
import type { AddressBook, BookDeployment } from '../types.js';
import type { VerificationReason } from '../verification-reason.js';

/** One thing that a deployment must agree with. */
export interface DeploymentMark {
  readonly of: (deployment: BookDeployment) => Address;
  readonly address: Address;
  readonly reason: VerificationReason;
  readonly field: string;
}

/** Find the one trusted deployment of a chain that agrees with every mark; the first that none agrees with is the reason. */
export function findDeployment(
  { deployments }: AddressBook,
  chainId: number,
  marks: readonly DeploymentMark[],
): BookDeployment {
  let candidates = deployments.filter((deployment) => deployment.chainId === chainId);
  let found =
    candidates[0] ?? refuse('UNKNOWN_CHAIN', 'chainId', `The address book has no chain ${chainId}.`);
  for (const { of, address, reason, field } of marks) {
    candidates = candidates.filter((deployment) => isAddressEqual(of(deployment), address));
    found = candidates[0] ?? refuse(reason, field, `The address book does not have ${address} for this.`);
  }
  return found;
}
