import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Holds the process id, inside the folder of an Anvil. */
export const pidFile = 'pid';

/** End the process that works in a folder, if it still runs. On Linux the kernel has ended it already. */
export function endLeftover(home: string): void {
  const pid = readPid(home);
  // By now the id may belong to another process.
  if (pid === undefined || !commandLineOf(pid).includes(home)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
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
