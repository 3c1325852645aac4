import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process runs; a zombie does not. Needs Linux. */
export function isRunning(pid: number): boolean {
  const status = readProc(pid, 'status');
  return status !== undefined && !/^State:\s+Z/m.test(status);
}

/** The command lines of the running processes that a process started, by process id. Needs Linux. */
export function childProcesses(parent: number): ReadonlyMap<number, string> {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, 'status') ?? '')?.[1]) === parent);
  return new Map(
    pids
      .filter(isRunning)
      .map((pid) => [pid, (readProc(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim()] as const),
  );
}

/** The same of their children, and theirs. */
export function descendantProcesses(ancestor: number): ReadonlyMap<number, string> {
  const children = [...childProcesses(ancestor)];
  return new Map(children.flatMap(([pid, command]) => [[pid, command], ...descendantProcesses(pid)]));
}

/**
 * Wait until none of some processes runs.
 *
 * @returns Those that still do after `deadlineMs`.
 */
export async function untilEnded(pids: Iterable<number>, deadlineMs = 5_000): Promise<readonly number[]> {
  const deadline = Date.now() + deadlineMs;
  let left = [...pids];
  for (;;) {
    left = left.filter(isRunning);
    if (left.length === 0 || Date.now() > deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readProc(pid: number, file: 'status' | 'cmdline'): string | undefined {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return undefined; // Ended meanwhile.
  }
}
