import { JourneyError } from '../errors.js';
import type { AddressBook, BookToken } from '../verify/types.js';

/**
 * Find the token that a symbol means on a chain: the address book says so, never the service.
 *
 * @throws {JourneyError} `UNKNOWN_CHAIN` or `UNKNOWN_ASSET`, when the book does not have it.
 */
export function findToken(book: AddressBook, chain: string, asset: string): BookToken {
  const chainId = book.deployments.find((deployment) => deployment.chain === chain)?.chainId;
  if (chainId === undefined)
    throw new JourneyError('UNKNOWN_CHAIN', `The address book has no deployment on ${chain}.`);
  const symbol = asset.toLowerCase();
  const token = book.tokens.find((one) => one.chainId === chainId && one.symbol.toLowerCase() === symbol);
  if (!token) throw new JourneyError('UNKNOWN_ASSET', `The address book has no ${asset} on ${chain}.`);
  return token;
}
