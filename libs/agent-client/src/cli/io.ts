import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { printable, toAscii } from '../wire-values.js';

/** Where a command reads and writes: results, notes, and secrets. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
  /** Read all of standard input. */
  input(): Promise<string>;
  /** Read a variable of the environment: a key is never an argument. */
  env(name: string): string | undefined;
}

/** The result of a command, as the exit code of the process. */
export const exitCodes = { ok: 0, refused: 1, failed: 2, pending: 3, unavailable: 4 } as const;

/** A failure that its message explains completely. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = exitCodes.failed,
    readonly code = 'USAGE',
  ) {
    super(message);
  }
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

/** Write a value as JSON in printable ASCII, amounts as decimal strings. */
export function toJson(value: unknown): string {
  const plain = (_: string, each: unknown) => (typeof each === 'bigint' ? String(each) : each);
  return JSON.stringify(value, plain, 2).split('\n').map(toAscii).join('\n');
}

const longestLine = 500;

/** Write values for people: a line for each text, and no control characters. */
export function toText(...values: readonly unknown[]): string {
  return values
    .flatMap((value) => (typeof value === 'string' ? value : inspect(value, { depth: null }).split('\n')))
    .map((line) => printable(line, longestLine))
    .join('\n');
}
