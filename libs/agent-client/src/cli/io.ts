import { readFile } from 'node:fs/promises';
import {
  agentAddressBook,
  extendAddressBook,
  localAddressBook,
  parseAddressBook,
  type AddressBook,
} from '../verify/address-book.js';

/** Where a command reads and writes: results, and notes. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
  /** Read all of standard input. */
  input(): Promise<string>;
}

/** The result of a command, as the exit code of the process. */
export const exitCodes = { ok: 0, refused: 1, failed: 2 } as const;

/** A failure that its message explains completely. */
export class CommandFailure extends Error {}

/** Which address book a command trusts. */
export interface BookOptions {
  /** A file with more deployments and tokens. */
  readonly book?: string;
  /** The local deployment in place of the shipped ones. */
  readonly local?: boolean;
}

/**
 * Load the address book of a command: the shipped one and the entries of the file.
 *
 * @throws {CommandFailure} when the file cannot be read
 * @throws {InvalidAddressBookError} when it is no address book
 */
export async function loadBook({ book, local }: BookOptions, io: Pick<CliIo, 'input'>): Promise<AddressBook> {
  const shipped = local ? localAddressBook : agentAddressBook;
  return book === undefined
    ? shipped
    : extendAddressBook(shipped, parseAddressBook(await readJson(book, io)));
}

/**
 * Read a JSON document.
 *
 * @param file - its path; `-` is standard input
 * @throws {CommandFailure} when it cannot be read or is not JSON
 */
export async function readJson(file: string, io: Pick<CliIo, 'input'>): Promise<unknown> {
  const text = await (file === '-' ? io.input() : readFile(file, 'utf8')).catch((error: unknown) => {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandFailure(`${file} is not JSON`);
  }
}

/** Write a value as JSON, amounts as decimal strings. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each), 2);
}
