import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Find forge: in the npm package, else `FORGE_BIN`, else on the PATH. */
export function findForge(env = process.env) {
  const onPath = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'forge'));
  const found = [npmBinary(), env.FORGE_BIN, ...onPath].find(isExecutable);
  if (found) return found;
  throw new Error(
    'forge was not found. On Linux (x64) "npm ci" installs it; elsewhere install Foundry or set FORGE_BIN.',
  );
}

function npmBinary() {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    const manifest = require.resolve(`@foundry-rs/forge-${process.platform}-${architecture}/package.json`);
    return join(dirname(manifest), 'bin', 'forge');
  } catch {
    return undefined; // The package is optional and does not exist for every platform.
  }
}

function isExecutable(path) {
  try {
    accessSync(path ?? '', constants.X_OK);
    return path !== undefined;
  } catch {
    return false;
  }
}
