import canonicalizeModule from 'canonicalize';
import { getAddress, keccak256, stringToBytes, type Address, type Hex } from 'viem';
import type { SetupTicket } from '../wire/setup.js';

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
