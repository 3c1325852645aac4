import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeLeftovers } from './make-temporary-folder.js';

/** Prefix of the folders of Anvil processes. */
export const homePrefix = 'yield-vault-anvil-';

/** Holds the process id, inside such a folder. */
export const pidFile = 'pid';

/**
 * End the Anvil processes that killed processes of this user left behind, and remove their folders. On Linux the
 * kernel has ended them already.
 *
 * @returns How many were still running.
 */
export function reapAnvils(): number {
  let ended = 0;
  removeLeftovers(tmpdir(), homePrefix, (home) => {
    if (endLeftover(home)) ended += 1;
  });
  return ended;
}

/**
 * End the process that works in a folder, if it still runs.
 *
 * @returns Whether it did.
 */
export function endLeftover(home: string): boolean {
  const pid = readPid(home);
  // By now the id may belong to another process.
  if (pid === undefined || !commandLineOf(pid).includes(home)) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // It ended meanwhile.
  }
}

function readPid(home: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(home, pidFile), 'utf8'));
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined; // It was not started.
  }
}

function commandLineOf(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
      : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], {
          encoding: 'utf8',
          timeout: 5_000,
        });
  } catch {
    return ''; // Not running.
  }
}
