import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ProcessFailedError, spawnTied } from '@yield-vault/anvil';
import type { ServersReady } from './server.js';

const entry = fileURLToPath(new URL('../../dist/discover/server.js', import.meta.url));

/** The process that is measured. */
export interface Servers extends ServersReady {
  /** Longest delay of its event loop since the last call, in milliseconds. */
  readDelay(): Promise<number>;
  /** Its processor time so far, in milliseconds. */
  readCpu(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Start the API on a filled database, in a process of its own.
 *
 * @throws {ProcessFailedError} when it ends before it is ready; its error is printed above
 */
export async function startServers(filled: Filled): Promise<Servers> {
  const { url = '', directory = '' } = filled;
  const { child, ended } = spawnTied(process.execPath, [entry, url, directory], {
    // The server writes its log as usual; this benchmark does not read it.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // Client and server would take turns on each core. Where the system cannot pin them, they still do.
  if (availableParallelism() > 1) [process.pid, child.pid].forEach((pid, core) => pin(pid, core));
  const [ready] = (await Promise.race([
    once(child, 'message'),
    ended.then((how) => {
      throw new ProcessFailedError(`The server of the bench ${how}`);
    }),
  ])) as [ServersReady];
  const ask = async (question: 'delay' | 'cpu') => {
    child.send(question);
    const [milliseconds] = (await once(child, 'message')) as [number];
    return milliseconds;
  };
  return {
    ...ready,
    readDelay: () => ask('delay'),
    readCpu: () => ask('cpu'),
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}

function pin(pid: number | undefined, core: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)]);
}

/** Where the database is: PostgreSQL by URL, or a directory of the embedded one. */
export type Filled =
  | { readonly url: string; readonly directory?: undefined }
  | { readonly directory: string; readonly url?: undefined };
