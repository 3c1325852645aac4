import { readFileSync } from 'node:fs';
import { facilitatorKey } from '../steps/bundler-accounts.js';
import type { DevnetChain } from '../types.js';
import { chainVariables } from './chain-variables.js';
import { startApp, type AppProcess } from './start-app.js';

/** A running API server that is ready to answer. */
export type ServerProcess = AppProcess;

/** What the server needs to know of a fork service. */
export interface ForkServiceAccess {
  readonly url: string;
  readonly credential: string;
}

/**
 * Start the API server on the local configuration, against the chains of a devnet.
 *
 * @param options.forkService Whose persistent forks the wallets act on; the chains themselves without it.
 * @param options.dataDirectory Folder of its database; one for each devnet, whose chains begin anew.
 * @param options.logFile Where its log goes.
 * @throws {ProcessFailedError} When it does not get ready; the message ends with what it said last.
 */
export async function startServer(options: {
  readonly chains: readonly DevnetChain[];
  readonly forkService?: ForkServiceAccess | undefined;
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly logFile: string;
  /** Whether discover and prepare are paid for. */
  readonly paid?: boolean | undefined;
  /** Told in plain words what it is doing. */
  readonly onProgress?: (message: string) => void;
}): Promise<ServerProcess> {
  const { chains, forkService, host, port, dataDirectory, paid, logFile, onProgress } = options;
  let told = '';
  return startApp({
    title: 'API server',
    app: 'api',
    env: {
      ...chainVariables(chains),
      RELAY_MODE: forkService ? 'managed-fork' : 'chain',
      FORKS_PROVIDER: 'service',
      FORK_SERVICE_URL: forkService?.url ?? '',
      FORK_SERVICE_CREDENTIAL: forkService?.credential ?? '',
      HOST: host,
      PORT: String(port),
      DATA_DIRECTORY: dataDirectory,
      // A database that outlives the chains would hold their past lives.
      DATABASE_URL: '',
      ...(paid && {
        PAYMENTS: 'on',
        PUBLIC_URL: `http://${host}:${String(port)}`,
        FACILITATOR_PRIVATE_KEY: facilitatorKey,
      }),
    },
    url: `http://${host}:${String(port)}`,
    readyPath: '/health/ready',
    pollMs: 500,
    logFile,
    onPoll: () => {
      const progress = progressIn(logFile);
      if (progress !== told) onProgress?.(progress);
      told = progress;
    },
  });
}

/** What the newest line of the log says that counts something, to the nearest tenth below. */
function progressIn(logFile: string): string {
  const line = readFileSync(logFile, 'utf8')
    .trimEnd()
    .split('\n')
    .findLast((text) => text.includes('"done":') && text.includes('"total":'));
  if (!line) return 'starting';
  const { msg, done, total } = JSON.parse(line) as { msg: string; done: number; total: number };
  return `${msg}: ${String(Math.floor((done / total) * 10) * 10)} %`;
}
