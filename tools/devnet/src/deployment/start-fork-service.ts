import { randomBytes } from 'node:crypto';
import getPort from 'get-port';
import type { DevnetChain, DevnetChainKey } from '../types.js';
import { chainVariables } from './chain-variables.js';
import { startApp, type AppProcess } from './start-app.js';
import type { ForkServiceAccess } from './start-server.js';

const host = '127.0.0.1';

/** A running fork service. */
export interface ForkServiceProcess extends AppProcess, ForkServiceAccess {
  /** RPC address of the persistent fork of a chain; it stays the same when the fork is made anew. */
  rpcUrlOf(key: DevnetChainKey): string;
}

/**
 * Start the fork service for the chains of a devnet. They need not answer yet: a persistent fork is made when it is
 * asked for the first time.
 *
 * @param options.chains Where the chains and their bundlers are, or will be.
 * @param options.port Any free one by default.
 * @param options.credential What its operators identify with; a random one by default.
 * @param options.stateDirectory Folder that keeps the forks over a restart of the service; nothing is kept without it.
 * @param options.logFile Where its log goes.
 * @throws {ProcessFailedError} When it does not get ready; the message ends with what it said last.
 */
export async function startForkService(options: {
  readonly chains: readonly Pick<DevnetChain, 'key' | 'rpcUrl' | 'bundlerUrl'>[];
  readonly port?: number;
  readonly credential?: string;
  readonly stateDirectory?: string;
  /** Whether payments are settled on its forks. */
  readonly paid?: boolean | undefined;
  readonly logFile: string;
}): Promise<ForkServiceProcess> {
  const { chains, credential = randomBytes(24).toString('hex'), stateDirectory, paid, logFile } = options;
  const port = options.port ?? (await getPort({ host }));
  const url = `http://${host}:${String(port)}`;
  const service = await startApp({
    title: 'fork service',
    app: 'fork-service',
    env: {
      ...chainVariables(chains),
      RELAY_MODE: 'managed-fork',
      FORK_SERVICE_HOST: host,
      FORK_SERVICE_PORT: String(port),
      FORK_SERVICE_CREDENTIAL: credential,
      FORK_SERVICE_STATE_DIRECTORY: stateDirectory,
      ...(paid && { FORK_SERVICE_TAKES_PAYMENTS: 'true' }),
    },
    url,
    readyPath: '/health',
    pollMs: 50,
    logFile,
  });
  return { ...service, credential, rpcUrlOf: (key) => `${url}/rpc/${key}` };
}
