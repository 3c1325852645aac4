import type { AddressBook } from '../types.js';
import { parseAddressBook } from './parse-address-book.js';

/**
 * Add deployments and tokens to an address book. Whatever is added is trusted with the wallet's funds.
 *
 * @throws {InvalidAddressBookError} when something is malformed, or a chain key would stand for two chains
 * @example
 * const book = extendAddressBook(agentAddressBook, { deployments: [ours] });
 */
export function extendAddressBook(book: AddressBook, additions: Partial<AddressBook>): AddressBook {
  const { deployments = [], tokens = [], ...unknown } = additions;
  return parseAddressBook({
    ...unknown,
    deployments: [...book.deployments, ...deployments],
    // The first one of an address is used: additions name a token anew.
    tokens: [...tokens, ...book.tokens],
  });
}
