import { readFileSync } from 'node:fs';
import { facilitatorKey } from '../steps/bundler-accounts.js';
import type { AppProcess, DevnetChain, ForkServiceAccess } from '../types.js';
import { chainVariables, startApp } from './start-app.js';

/**
 * Start the API server on the local configuration, against the chains of a devnet.
 *
 * @param options.forkService Wallets act on its persistent forks; without it, on the chains themselves.
 * @param options.dataDirectory Folder of its database; one for each devnet.
 * @throws {ProcessFailedError} When it does not get ready; the message ends with its last log lines.
 */
export async function startServer(options: {
  readonly chains: readonly DevnetChain[];
  readonly forkService?: ForkServiceAccess | undefined;
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly logFile: string;
  /** Whether discover and prepare must be paid. */
  readonly paid?: boolean | undefined;
  /** Other variables of the local deployment file. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with a sentence when the start makes progress. */
  readonly onProgress?: (message: string) => void;
}): Promise<AppProcess> {
  const { chains, forkService, host, port, dataDirectory, paid, logFile, env, onProgress } = options;
  let reported = '';
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
      ...env,
    },
    url: `http://${host}:${String(port)}`,
    readyPath: '/health/ready',
    pollMs: 500,
    logFile,
    onPoll: () => {
      const progress = readProgress(readFileSync(logFile, 'utf8'));
      if (progress !== reported) onProgress?.(progress);
      reported = progress;
    },
  });
}

/** Read what the API server last logged about its backfill, as a sentence. */
export function readProgress(log: string): string {
  const line = log
    .trimEnd()
    .split('\n')
    .findLast((text) => text.includes('"percent":') && text.endsWith('}'));
  if (!line) return 'starting';
  const { chain, msg, percent, secondsLeft } = JSON.parse(line) as Record<string, string | number>;
  return `${chain}: ${msg}, ${percent} %, ${secondsLeft} s left`;
}
