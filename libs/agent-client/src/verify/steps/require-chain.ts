import { demand } from '../refused.js';
import type { AddressBook } from '../types.js';

/** Check that a document is of the chain that was asked for, by its key or id. */
export function requireChain({ deployments }: AddressBook, asked: string | number, chainId: number): void {
  const known = deployments.find(({ chain, chainId: id }) => chain === asked || id === asked);
  demand(known !== undefined, 'UNKNOWN_CHAIN', 'chainId', `The address book has no chain ${asked}.`);
  demand(known.chainId === chainId, 'CHAIN_MISMATCH', 'chainId', `It is for chain ${chainId}, not ${asked}.`);
}
