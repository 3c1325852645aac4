import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const workspace = join(root, '../..');

/**
 * A workspace of this project alone, whose local addresses follow its bytecode. It is gone with this process.
 *
 * @returns Folder of the project in it.
 */
export function makeCopy() {
  const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, 'libs/contracts');
  mkdirSync(project, { recursive: true });
  for (const name of ['src', 'test', 'scripts', 'package.json', 'jest.config.mjs']) {
    cpSync(join(root, name), join(project, name), { recursive: true });
  }
  for (const path of ['jest.preset.mjs', 'tools/jest']) {
    cpSync(join(workspace, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(workspace, 'node_modules'), join(folder, 'node_modules'));
  edit(join(project, 'src/address-book.ts'), (text) => {
    const literals = /export const walletContracts = \{[^}]*\} as const satisfies Record<string, Address>;/;
    return `${text.replace(literals, '')}
      const deployments = Object.entries(walletDeployments()).map(([name, { address }]) => [name, address]);
      export const walletContracts = Object.fromEntries(deployments) as any;`;
  });
  // A changed source may leave something unused: warnings do not count.
  edit(join(project, 'scripts/compile.mjs'), (text) => text.replace(' || isOwn(problem)', ''));
  return project;
}

function edit(path, change) {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`nothing to change in ${path}`);
  writeFileSync(path, changed);
}
