import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { extendAddressBook } from '../verify/address-book/extend-address-book.js';
import { localAddressBook } from '../verify/address-book/local-address-book.js';
import { parseAddressBook } from '../verify/address-book/parse-address-book.js';
import type { AddressBook } from '../verify/types.js';
import type { CliIo } from './io.js';
import { readJson } from './read-json.js';

/** What a command trusts. */
export interface BookOptions {
  /** A file with more deployments and tokens. */
  readonly book?: string;
  /** The local deployment in place of those that the library ships. */
  readonly local?: boolean;
}

/**
 * Say what a command trusts: what the library ships, and what the file adds.
 *
 * @throws {CommandFailure} When the file cannot be read.
 * @throws {InvalidAddressBookError} When it is no address book.
 */
export async function loadBook({ book, local }: BookOptions, io: Pick<CliIo, 'input'>): Promise<AddressBook> {
  const shipped = local ? localAddressBook : agentAddressBook;
  return book === undefined
    ? shipped
    : extendAddressBook(shipped, parseAddressBook(await readJson(book, io)));
}
