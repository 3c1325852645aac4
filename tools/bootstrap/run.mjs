// Runs programs, and shows their progress.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set();

/** A failure that is printed without its stack. */
export class Failure extends Error {}

/** Run a program and show its output only when it fails. */
export async function showing(title, program, args) {
  let last = '';
  const end = watch(title, () => last);
  const output = [];
  const code = await run(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    onOutput: (text) => {
      output.push(text);
      last = /nx run (\S+)/.exec(text)?.[1] ?? last;
    },
  });
  const seconds = end();
  if (code !== 0) {
    keepLog(output);
    throw new Failure(
      `${output.join('')}\n${title} failed: ${program} ${args.join(' ')} exited with ${code}.`,
    );
  }
  console.log(`${title}: done in ${seconds}`);
}

/**
 * Print the progress of a step until it ends.
 *
 * @returns a function that ends the step and returns its duration
 */
export function watch(title, detail = () => '') {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const onTerminal = process.stdout.isTTY;
  const print = () =>
    onTerminal
      ? process.stdout.write(`\r\x1b[2K${title} … ${seconds()}  ${detail()}`.slice(0, process.stdout.columns))
      : console.log(`${title} … ${seconds()}`);
  print();
  const timer = setInterval(print, onTerminal ? 250 : 15_000);
  return () => {
    clearInterval(timer);
    if (onTerminal) process.stdout.write('\r\x1b[2K');
    return seconds();
  };
}

function keepLog(output) {
  mkdirSync(join(root, '.local/logs'), { recursive: true });
  writeFileSync(join(root, '.local/logs/bootstrap.log'), output.join(''));
}

/**
 * Run npm or a program of node_modules.
 *
 * @param options.limitMs - it is ended after this time
 * @returns its exit code, or the signal that ended it
 */
export function run(program, args, { stdio, onOutput, env, cwd = '', priority = 0, limitMs }) {
  const path = program === 'npm' ? 'npm' : join(root, 'node_modules/.bin', program);
  const child = spawn(path, args, {
    cwd: join(root, cwd),
    stdio,
    // npm and nx start more processes; a process group ends them together.
    detached: true,
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      // By default two clones of this repository share one cache.
      NX_CACHE_DIRECTORY: join(root, '.nx/cache'),
      ...env,
    },
  });
  running.add(child);
  // Its own processes inherit it. A program that cannot start has no id.
  if (child.pid !== undefined && priority > 0) setPriority(child.pid, priority);
  const limit = limitMs && setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs);
  child.stdout?.on('data', (chunk) => onOutput(chunk.toString()));
  child.stderr?.on('data', (chunk) => onOutput(chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(new Failure(`Cannot start ${program}: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      running.delete(child);
      resolve(code ?? signal);
    });
  });
}

/** End the programs that still run, and this one. */
export function stopRunning(signal) {
  for (const child of running) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      child.kill(signal);
    }
  }
  if (running.size > 0) process.exit(130);
}
