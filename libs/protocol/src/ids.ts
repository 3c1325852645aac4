import canonicalizeModule from 'canonicalize';
import { encodePacked, getAddress, keccak256, slice, stringToBytes, type Address, type Hex } from 'viem';
import type { SetupTicket } from './wire/setup.js';

/**
 * Compute the stable id of a vault: the first 8 bytes of keccak256(chainId as 32 bytes ‖ address), read as
 * an unsigned big-endian integer in decimal digits. Anyone can recompute it; it never changes.
 */
export function vaultIdOf(chainId: number, vaultAddress: Address): string {
  const digest = keccak256(encodePacked(['uint256', 'address'], [BigInt(chainId), vaultAddress]));
  return BigInt(slice(digest, 0, 8)).toString();
}

// The package is CommonJS whose module is the function; its types describe a default export instead.
const canonicalize = canonicalizeModule as unknown as (input: object) => string;

const checksummed = (address: Address): Address => getAddress(address.toLowerCase());

/**
 * Compute the id of a setup ticket: keccak256 of its RFC 8785 JSON in UTF-8, with EIP-55 addresses and
 * `expiresAt` with milliseconds.
 */
export function setupTicketId(ticket: SetupTicket): Hex {
  const json = canonicalize({
    version: ticket.version,
    walletAddress: checksummed(ticket.walletAddress),
    chainId: ticket.chainId,
    implementation: checksummed(ticket.implementation),
    initCalldataHash: ticket.initCalldataHash,
    setupType: ticket.setupType,
    expiresAt: new Date(ticket.expiresAt).toISOString(),
  });
  return keccak256(stringToBytes(json));
}
