import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ProcessFailedError, spawnTied } from '@yield-vault/anvil';
import type { ServersReady } from './server.js';

const entry = fileURLToPath(new URL('../../dist/discover/server.js', import.meta.url));

/** The process that is measured. */
export interface Servers extends ServersReady {
  /** Longest delay of its event loop since the last call, in milliseconds. */
  readDelay(): Promise<number>;
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
  const [ready] = (await Promise.race([
    once(child, 'message'),
    ended.then((how) => {
      throw new ProcessFailedError(`The server of the bench ${how}`);
    }),
  ])) as [ServersReady];
  return {
    ...ready,
    readDelay: async () => {
      child.send('delay');
      const [milliseconds] = (await once(child, 'message')) as [number];
      return milliseconds;
    },
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
