import { readFile } from 'node:fs/promises';
import type { CliIo } from './io.js';
import { CommandFailure } from './outcome.js';

/**
 * Read a JSON document.
 *
 * @param file Its path; `-` is what is piped in.
 * @throws {CommandFailure} When it cannot be read or is not JSON.
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
