import { readdirSync, readFileSync } from 'node:fs';

/** An Anvil process that forks something. */
export interface OwnFork {
  readonly pid: number;
  /** Processor time that it used, in hundredths of a second. */
  readonly ticks: number;
  /** Whether its block was named when it started: a spare host is told later. */
  readonly pinned: boolean;
}

/** List the Anvil processes that a process started to fork something. Linux only, as the CI is. */
export function ownForks(parent = process.pid): OwnFork[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [, ppid, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        if (Number(ppid) !== parent || !command.includes('--fork-url')) return [];
        const pinned = command.includes('--fork-block-number');
        return [{ pid: Number(name), ticks: Number(rest[9]) + Number(rest[10]), pinned }];
      } catch {
        return []; // It ended meanwhile.
      }
    });
}

/** Wait until something is so, within a deadline. */
export async function until<T>(look: () => T | undefined | false, deadlineMs = 10_000): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const seen = look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error('It did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
