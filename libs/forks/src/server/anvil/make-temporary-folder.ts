import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const temporary = new Set<() => void>();
let isWatching = false;

/**
 * Make a folder that is removed with this process. Remove the folders of killed processes with the same prefix.
 * With `keep`, the folder stays until the next start. `beforeRemoval` is called with each left folder while it exists.
 *
 * @param parent Where to make it; created when missing.
 * @param prefix What its name begins with; the process id follows.
 * @returns The folder, and how to remove it.
 */
export function makeTemporaryFolder(
  parent: string,
  prefix: string,
  { keep = false, beforeRemoval }: { keep?: boolean; beforeRemoval?: (path: string) => void } = {},
): { path: string; remove: () => void } {
  mkdirSync(parent, { recursive: true });
  removeLeftovers(parent, prefix, beforeRemoval);
  const path = mkdtempSync(join(parent, `${prefix}${String(process.pid)}-`));
  const remove = () => {
    temporary.delete(remove);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  };
  if (!keep) removeAtExit(remove);
  return { path, remove };
}

/** One listener for all of them: Node warns of many. */
function removeAtExit(remove: () => void): void {
  temporary.add(remove);
  if (isWatching) return;
  isWatching = true;
  process.once('exit', () => {
    for (const each of temporary) each();
  });
}

/** Remove the folders under a prefix whose process is gone. */
function removeLeftovers(parent: string, prefix: string, beforeRemoval?: (path: string) => void): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number(/^\d+/.exec(name.slice(prefix.length))?.[0]) : NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) {
      removeLeftover(join(parent, name), beforeRemoval);
    }
  }
}

/** Folders of other users stay and do no harm. */
function removeLeftover(path: string, beforeRemoval?: (path: string) => void): void {
  try {
    beforeRemoval?.(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The process that made it removes it at its next start.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
