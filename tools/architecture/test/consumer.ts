import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
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

/** Type check files of an importer, with the declarations of its packages. */
export function typeCheck(files: readonly string[], moduleResolution: 'node16' | 'bundler'): string[] {
  const isNode = moduleResolution === 'node16';
  const settings: ts.CompilerOptions = {
    ...{ noEmit: true, strict: true, target: ts.ScriptTarget.ES2022, types: ['node'] },
    typeRoots: [join(root, 'node_modules/@types')],
    module: isNode ? ts.ModuleKind.Node16 : ts.ModuleKind.ESNext,
    moduleResolution: isNode ? ts.ModuleResolutionKind.Node16 : ts.ModuleResolutionKind.Bundler,
    moduleDetection: ts.ModuleDetectionKind.Force,
    // The declarations of viem's dependencies have errors of their own.
    skipLibCheck: true,
  };
  const program = ts.createProgram(files, settings);
  return ts.getPreEmitDiagnostics(program).map((found) => {
    const text = ts.flattenDiagnosticMessageText(found.messageText, '\n');
    return `${found.file?.fileName ?? ''}: ${text}`;
  });
}
