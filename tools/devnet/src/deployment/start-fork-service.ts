import { randomBytes } from 'node:crypto';
import { freePort } from '@yield-vault/forks/anvil';
import type { DevnetChain, ForkServiceProcess } from '../types.js';
import { chainVariables, startApp } from './start-app.js';

const host = '127.0.0.1';

/**
 * Start the fork service for the chains of a devnet. The chains may start later: the first request for a persistent fork
 * creates it.
 *
 * @param options.port Any free one by default.
 * @param options.credential Credential of its operators; a random one by default.
 * @param options.stateDirectory Folder that keeps the forks over a restart of the service; nothing is kept without it.
 * @throws {ProcessFailedError} When it does not get ready; the message ends with its last log lines.
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
  const port = options.port ?? (await freePort());
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
