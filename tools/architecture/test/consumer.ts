import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, type Registry } from './registry.js';
import { run } from './run.js';

/** Install packages in an empty folder, as an importer does. */
export async function install(
  { url }: Registry,
  folder: string,
  packages: readonly string[],
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  // Other packages come from the registry that this machine uses.
  writeFileSync(join(folder, '.npmrc'), `@yield-vault:registry=${url}\nupdate-notifier=false\n`);
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], folder);
  return folder;
}

/** Bytes of the files below a folder. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((total, file) => total + (file.isFile() ? file.size : 0), 0);
}

/** Type check files of an importer, with the declarations of its packages. @returns the errors */
export async function typeCheck(
  folder: string,
  files: readonly string[],
  moduleResolution: 'node16' | 'bundler',
): Promise<readonly string[]> {
  const options = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    types: 'node',
    typeRoots: join(root, 'node_modules/@types'),
    module: moduleResolution === 'node16' ? 'node16' : 'esnext',
    moduleResolution,
    moduleDetection: 'force',
    // The declarations of viem's dependencies have errors of their own.
    skipLibCheck: true,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  const printed = await run(process.execPath, [compiler, ...args, ...files], folder).catch(String);
  return printed.split('\n').filter((line) => line.includes('error TS'));
}
