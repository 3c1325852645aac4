import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const packageRoot = join(__dirname, '..');

/** Run a script of this folder as another process, on the sources. */
export function startScript(name: string, ...parameters: string[]): ChildProcess {
  return spawn(
    process.execPath,
    [
      ...['-C', '@yield-vault/source', join(packageRoot, 'test/run-typescript.cjs')],
      ...[join(packageRoot, 'test', name), ...parameters],
    ],
    { cwd: packageRoot, stdio: ['ignore', 'pipe', 'inherit'] },
  );
}
