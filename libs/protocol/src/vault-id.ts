import { encodePacked, keccak256, slice, type Address } from 'viem';

/**
 * Compute the stable id of a vault: the first 8 bytes of keccak256(chainId as 32 bytes ‖ address), read as
 * an unsigned big-endian integer in decimal digits. Anyone can recompute it; it never changes.
 */
export function vaultIdOf(chainId: number, vaultAddress: Address): string {
  const digest = keccak256(encodePacked(['uint256', 'address'], [BigInt(chainId), vaultAddress]));
  return BigInt(slice(digest, 0, 8)).toString();
}
