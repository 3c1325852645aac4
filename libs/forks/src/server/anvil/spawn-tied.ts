import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { findOnPath } from './find-anvil.js';

/** A child process that does not outlive this one. */
export interface TiedProcess {
  readonly child: ChildProcess;
  /** Resolves with a sentence about how it ended. */
  readonly ended: Promise<string>;
  readonly kill: () => Promise<void>;
}

const running = new Set<ChildProcess>();
let watching = false;
let tie: string | false | undefined;

/**
 * Start a process that dies with this one: through the kernel on Linux, even when this process is killed, and at
 * its exit elsewhere.
 */
export function spawnTied(command: string, args: readonly string[], options: SpawnOptions): TiedProcess {
  const setpriv = (tie ??= findSetpriv() ?? false);
  const child = setpriv
    ? // In a group of its own: Ctrl-C then reaches this process alone, which ends the others in order.
      spawn(setpriv, ['--pdeathsig', 'KILL', command, ...args], { ...options, detached: true })
    : spawn(command, args, options);
  killAtExit(child);

  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      // A child that runs can fail too, at being sent a signal.
      if (child.pid === undefined) running.delete(child);
      resolve(`could not be started: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve(signal ? `was ended by ${signal}` : `ended with code ${String(code)}`);
    });
  });
  return {
    child,
    ended,
    async kill() {
      child.kill('SIGKILL');
      if (child.pid !== undefined) await ended;
    },
  };
}

function killAtExit(child: ChildProcess): void {
  running.add(child);
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    for (const each of running) each.kill('SIGKILL');
  });
}

/** The `setpriv` of BusyBox, as on Alpine, cannot send a signal at the death of the parent. */
function findSetpriv(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  // eslint-disable-next-line no-restricted-properties -- where a program lies is a fact of the machine
  const setpriv = findOnPath('setpriv', process.env['PATH']);
  const help = setpriv && spawnSync(setpriv, ['--help'], { encoding: 'utf8', timeout: 5_000 }).stdout;
  return help?.includes('--pdeathsig') ? setpriv : undefined;
}
