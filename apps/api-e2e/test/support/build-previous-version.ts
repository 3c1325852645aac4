import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { previousVersion } from '../previous-version.js';

const repository = resolve(__dirname, '../../../..');
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', repository, ...args], {
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Whether the clone has the history: a shallow one cannot build an earlier version. */
export function hasPreviousVersion(): boolean {
  try {
    git('cat-file', '-e', `${previousVersion.commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/** Build the API of the previous version from the history, with the packages that are installed. */
export function buildPreviousVersion(): { readonly program: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'previous-version-'));
  const archive = git(
    'archive',
    previousVersion.commit,
    'apps',
    'libs',
    'config',
    'tsconfig.base.json',
    'package.json',
  );
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkPackages(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const projects = (parent: string) => readdirSync(join(folder, parent)).map((name) => `${parent}/${name}`);
  for (const project of [...projects('apps'), ...projects('libs')])
    linkPackages(join(repository, project, 'node_modules'), join(folder, project, 'node_modules'));
  const own = join(folder, 'node_modules/@yield-vault');
  mkdirSync(own);
  for (const library of projects('libs')) symlinkSync(join(folder, library), join(own, library.slice(5)));
  for (const app of ['web', 'worker']) symlinkSync(join(folder, 'apps', app), join(own, app));
  // The page is not what is tested.
  symlinkSync(join(repository, 'apps/web/dist'), join(folder, 'apps/web/dist'));
  const compiler = join(repository, 'node_modules/typescript-7/bin/tsc');
  execFileSync(process.execPath, [compiler, '-b', 'apps/api/tsconfig.build.json'], { cwd: folder });
  return {
    program: join(folder, 'apps/api/dist/main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkPackages(from: string, to: string): void {
  let names: string[];
  try {
    names = readdirSync(from).filter((name) => name !== '@yield-vault');
  } catch {
    return;
  }
  mkdirSync(to);
  for (const name of names) symlinkSync(join(from, name), join(to, name));
}
