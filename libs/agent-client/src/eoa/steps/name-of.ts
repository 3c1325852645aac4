import { isAddressEqual, type Address } from 'viem';
import type { KnownContract } from '../known-contracts.js';

/** @returns `null` when the address is not among the known ones */
export function nameOf(address: Address, known: readonly KnownContract[]): string | null {
  return known.find((contract) => isAddressEqual(contract.address, address))?.name ?? null;
}
