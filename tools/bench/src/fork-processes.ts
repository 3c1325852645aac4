import { readdirSync, readFileSync } from 'node:fs';

/** An Anvil that forks something. */
export interface ForkProcess {
  readonly pid: number;
  /** Processor time that it used, in hundredths of a second. */
  readonly ticks: number;
  readonly rssBytes: number;
}

const pageBytes = 4_096;
const pauseMs = 10;

/** List the running Anvils that a process started to fork something. Needs Linux. */
export function forkProcesses(parent = process.pid): ForkProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, ppid, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const isFork = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--fork-url');
        if (state === 'Z' || Number(ppid) !== parent || !isFork) return [];
        const rssBytes = Number(rest[19]) * pageBytes;
        return [{ pid: Number(name), ticks: Number(rest[9]) + Number(rest[10]), rssBytes }];
      } catch {
        return []; // It ended meanwhile.
      }
    });
}

/** Count those of some processes that still run after a while. */
export async function countLeft(pids: readonly number[], deadlineMs = 2_000): Promise<number> {
  const left = () => pids.filter(isRunning).length;
  const end = Date.now() + deadlineMs;
  while (left() > 0 && Date.now() < end) await pause();
  return left();
}

/** Look again and again until something is there; `undefined` when it does not come in time. */
export async function lookFor<T>(look: () => T | undefined, deadlineMs = 5_000): Promise<T | undefined> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined || Date.now() > end) return seen;
    await pause();
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
