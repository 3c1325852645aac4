import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** A required program is not installed. The message says how to install it. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';
}

/**
 * Find the Anvil binary: in the npm package, else `ANVIL_BIN`, else `anvil` on the PATH.
 *
 * @throws {MissingProgramError} Anvil is not installed.
 */
export function findAnvil(
  // eslint-disable-next-line no-restricted-properties -- the location of programs is a fact of the machine
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const found = [npmBinary(), env['ANVIL_BIN'], findOnPath('anvil', env['PATH'])].find(isExecutable);
  if (found) return found;
  throw new MissingProgramError(
    'Anvil was not found. On Linux (x64) "npm ci" installs it; elsewhere install Foundry ' +
      '(https://getfoundry.sh) or set ANVIL_BIN to the binary.',
  );
}

/** Find a program on a PATH. */
export function findOnPath(program: string, path = ''): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

function npmBinary(): string | undefined {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    const manifest = require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`);
    return join(dirname(manifest), 'bin', 'anvil');
  } catch {
    return undefined; // The package is optional and does not exist for every platform.
  }
}

function isExecutable(path: string | undefined): path is string {
  if (!path) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
