import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure, root, showing } from './run.mjs';

const leastNode = [20, 19];

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])) return;
  throw new Failure(
    `Node ${process.versions.node} is too old. Install Node ${leastNode.join('.')} or later from https://nodejs.org/.`,
  );
}

/** npm has Anvil for Linux on x64 only; on other platforms it must be on the PATH or in ANVIL_BIN. */
export function checkAnvil() {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'anvil'));
  if ([process.env.ANVIL_BIN, ...onPath].some(isExecutable)) return;
  throw new Failure(
    `npm has no Anvil for ${process.platform} on ${process.arch}. ` +
      'Install Foundry (https://getfoundry.sh), or set ANVIL_BIN to the binary.',
  );
}

function isExecutable(file) {
  if (!file) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Install packages that are missing or have another version than the lockfile. */
export async function install() {
  const missing = findMissing();
  if (!missing) return;
  await showing(`Installing packages (${missing}); this can take some minutes`, 'npm', [
    'ci',
    '--no-audit',
    '--no-fund',
  ]);
}

/** Compare the lockfile with the packages that npm installed. */
function findMissing() {
  const installed = readPackages('node_modules/.package-lock.json');
  if (!installed) return 'none installed';
  const wanted = readPackages('package-lock.json') ?? {};
  const outdated = Object.entries(wanted).find(([path, { version, link, optional }]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return false;
    const there = installed[path];
    if (!there) return !optional; // Optional packages may belong to another platform.
    return !link && there.version !== version;
  });
  return outdated && `${outdated[0].replace(/^.*node_modules\//, '')} is missing or has another version`;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}
