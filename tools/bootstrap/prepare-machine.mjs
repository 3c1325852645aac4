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

const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** Fail before the long installation when the machine has no Anvil and npm has none for it. */
export function checkAnvil() {
  if (['darwin-amd64', 'darwin-arm64', 'linux-amd64', 'linux-arm64'].includes(platform) || findAnvil())
    return;
  throw new Failure(
    `npm has no Anvil for ${process.platform} on ${process.arch}. ` +
      'Install Foundry (https://getfoundry.sh), or set ANVIL_BIN to the binary.',
  );
}

/** Install Anvil below .local when no other is found: the lockfile has it for Linux on x64 only. */
export async function installAnvil() {
  const file = `node_modules/@foundry-rs/anvil-${platform}/bin/anvil`;
  if (findAnvil(join(root, file))) return;
  const { optionalDependencies } = readJson('package.json');
  const version = optionalDependencies['@foundry-rs/anvil-linux-amd64'];
  const folder = `.local/anvil-${version}`;
  const anvil = join(root, folder, file);
  if (!isExecutable(anvil))
    await showing(`Installing Anvil ${version} for ${platform} in ${folder}`, 'npm', [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      `@foundry-rs/anvil-${platform}@${version}`,
    ]);
  process.env.ANVIL_BIN = anvil;
}

function findAnvil(...files) {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'anvil'));
  return [...files, process.env.ANVIL_BIN, ...onPath].find(isExecutable);
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
    return readJson(file).packages;
  } catch {
    return undefined;
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
