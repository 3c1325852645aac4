import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { MissingProgramError } from './errors.js';

const require = createRequire(import.meta.url);

/**
 * Find the Anvil binary: that of the npm package, else `ANVIL_BIN`, else `anvil` on the PATH.
 *
 * @throws {MissingProgramError} When there is none.
 */
export function findAnvil(
  // eslint-disable-next-line no-restricted-properties -- where a program lies is a fact of the machine
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const found = [npmBinary(), env['ANVIL_BIN'], findOnPath('anvil', env['PATH'])].find(isExecutable);
  if (found) return found;
  throw new MissingProgramError(
    'Anvil was not found. On Linux (x64) "npm ci" installs it; elsewhere install Foundry ' +
      '(https://getfoundry.sh) or name the binary in ANVIL_BIN.',
  );
}

/** Find a program on a PATH; undefined when it is not there. */
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
    return undefined; // An optional dependency: not there on every platform.
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
