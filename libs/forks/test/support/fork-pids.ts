import { childProcesses } from '@yield-vault/testing';

/** List the Anvil processes of this process that fork something. */
export function forkPids(): number[] {
  return [...childProcesses(process.pid)]
    .filter(([, command]) => command.includes('--fork-url'))
    .map(([pid]) => pid);
}

/** Send a signal to the only such process. */
export function signalFork(signal: NodeJS.Signals): void {
  const [pid, ...others] = forkPids();
  if (pid === undefined || others.length > 0) throw new Error('There is not exactly one fork');
  process.kill(pid, signal);
}
