import { isAddressEqual, zeroAddress, type Address } from 'viem';
import type { AddressBook, BookDeployment } from './address-book.js';
import { demand, refuse, type VerificationReason } from './result.js';

/** One address that a deployment must have. */
export type DeploymentMark = readonly [
  of: (deployment: BookDeployment) => Address,
  address: Address,
  reason: VerificationReason,
  field: string,
];

/** The spender of the allowance that a deployment needs; the zero address where its paymaster needs none. */
export function spenderOf({ paymaster: { kind, address } }: BookDeployment): Address {
  return kind === 'own' ? zeroAddress : address;
}

/** Find the trusted deployment of a chain that has every address; refuse with the first that none has. */
export function findDeployment(
  { deployments }: AddressBook,
  chainId: number,
  marks: readonly DeploymentMark[],
): BookDeployment {
  let candidates = deployments.filter((deployment) => deployment.chainId === chainId);
  let found =
    candidates[0] ?? refuse('UNKNOWN_CHAIN', 'chainId', `The address book has no chain ${chainId}.`);
  for (const [of, address, reason, field] of marks) {
    candidates = candidates.filter((deployment) => isAddressEqual(of(deployment), address));
    found = candidates[0] ?? refuse(reason, field, `The address book does not have ${address} for this.`);
  }
  return found;
}

/** Check that a document is for the expected chain, by key or id. */
export function requireChain({ deployments }: AddressBook, expected: string | number, chainId: number): void {
  const known = deployments.find(({ chain, chainId: id }) => chain === expected || id === expected);
  demand(known !== undefined, 'UNKNOWN_CHAIN', 'chainId', `The address book has no chain ${expected}.`);
  demand(
    known.chainId === chainId,
    'CHAIN_MISMATCH',
    'chainId',
    `It is for chain ${chainId}, not ${expected}.`,
  );
}
