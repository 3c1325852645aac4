import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftover, pidFile } from './end-leftover.js';
import { findAnvil } from './find-anvil.js';
import { makeTemporaryFolder } from './make-temporary-folder.js';
import { spawnTied, type TiedProcess } from './spawn-tied.js';

const defaultReadinessMs = 20_000;
const homePrefix = 'yield-vault-anvil-';

/** A process did not get ready, or ended unexpectedly. */
export class ProcessFailedError extends Error {
  override readonly name = 'ProcessFailedError';
}

/** A running Anvil. */
export interface AnvilProcess extends TiedProcess {
  /** Address on the loopback interface. */
  readonly rpcUrl: string;
  readonly pid: number;
}

export interface AnvilOptions {
  /** Arguments of Anvil except host and port; see `anvil --help`. */
  readonly args?: readonly string[];
  /** 0, the default, for any free port. */
  readonly port?: number;
  /** Longest time until it listens, in milliseconds (20,000). */
  readonly readinessMs?: number;
  /** Kills it while it starts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Start an Anvil chain. It dies with this process, even if this process is killed, and leaves nothing on disk. Where
 * the kernel cannot ensure that, the next start kills leftover chains.
 *
 * @throws {MissingProgramError} Anvil is not installed.
 * @throws {ProcessFailedError} Anvil does not get ready.
 * @example
 * const anvil = await startAnvil({ args: ['--chain-id', '8453'] });
 * // … anvil.rpcUrl …
 * await anvil.kill();
 */
export async function startAnvil({
  args = [],
  port = 0,
  readinessMs = defaultReadinessMs,
  signal,
}: AnvilOptions = {}): Promise<AnvilProcess> {
  signal?.throwIfAborted();
  const program = findAnvil();
  // Its own home: Anvil keeps caches and past states there, and does not remove them.
  const home = makeTemporaryFolder(tmpdir(), homePrefix, { beforeRemoval: endLeftover });
  const address = ['--host', '127.0.0.1', '--port', String(port), '--no-cors'];
  // The folder in the command line identifies this process if its id is reused later.
  const anvil = spawnTied(program, [...address, '--cache-path', home.path, ...args], {
    // eslint-disable-next-line no-restricted-properties -- passed on, not read
    env: { PATH: process.env['PATH'], HOME: home.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The next process removes the folder if this fails.
  void anvil.ended.then(home.remove).catch(() => undefined);
  const abort = () => void anvil.kill();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (anvil.child.pid !== undefined) writeFileSync(join(home.path, pidFile), String(anvil.child.pid));
    const rpcUrl = await readRpcUrl(anvil, readinessMs);
    return { ...anvil, rpcUrl, pid: anvil.child.pid ?? 0 };
  } catch (error) {
    await anvil.kill();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

async function readRpcUrl({ child, ended }: TiedProcess, readinessMs: number): Promise<string> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2_000);
  });
  let timer: NodeJS.Timeout | undefined;
  const listening = new Promise<string>((resolve) => {
    let output = '';
    child.stdout?.on('data', function read(chunk: Buffer) {
      output += chunk.toString();
      const address = /Listening on (\S+)/.exec(output)?.[1];
      if (!address) return;
      // Keep draining, or a full pipe would stop the chain.
      child.stdout?.off('data', read).resume();
      resolve(`http://${address}`);
    });
  });
  const failed = Promise.race([
    ended,
    new Promise<string>((resolve) => {
      timer = setTimeout(resolve, readinessMs, 'did not get ready in time');
    }),
  ]).then((how): never => {
    throw new ProcessFailedError(`Anvil ${how}. ${withCure(errors)}`.trim());
  });
  try {
    return await Promise.race([listening, failed]);
  } finally {
    clearTimeout(timer);
  }
}

function withCure(errors: string): string {
  return errors.includes('Address already in use')
    ? 'Its port is in use: choose another one, or 0 for any free one.'
    : errors;
}
