import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ProcessFailedError, spawnTied } from '@yield-vault/anvil';
import type { ServersReady } from './server.js';

const entry = fileURLToPath(new URL('../../dist/discover/server.js', import.meta.url));

/** The process that is measured. */
export interface Servers extends ServersReady {
  stop(): Promise<void>;
}

/**
 * Start the API on a filled database, in a process of its own.
 *
 * @param profile - folder for a CPU profile of it
 * @throws {ProcessFailedError} when it ends before it is ready; what it said stands above
 */
export async function startServers(filled: Filled, profile?: string): Promise<Servers> {
  const { url = '', directory = '' } = filled;
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const { child, ended } = spawnTied(process.execPath, [...profiling, entry, url, directory], {
    // Log lines are made and written as ever, to where nobody reads them.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ready] = (await Promise.race([
    once(child, 'message'),
    ended.then((how) => {
      throw new ProcessFailedError(`The server of the bench ${how}`);
    }),
  ])) as [ServersReady];
  return {
    ...ready,
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}

/** Where the database is: PostgreSQL by URL, or a directory of the embedded one. */
export type Filled =
  | { readonly url: string; readonly directory?: undefined }
  | { readonly directory: string; readonly url?: undefined };
