import { join } from 'node:path';
import { Listr, PRESET_TIMER } from 'listr2';
import { startDevnet } from '../start-devnet.js';
import { choosePort } from '../steps/choose-ports.js';
import { makeTemporaryFolder } from '@yield-vault/forks/anvil';
import { readPort, readPorts, readRelayMode } from '../steps/read-environment.js';
import type { AppProcess, Devnet } from '../types.js';
import { repositoryRoot } from './start-app.js';
import { startServer } from './start-server.js';

export interface DeploymentOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Whether discover and prepare must be paid; false by default. */
  readonly paid?: boolean;
  /** Called when a part ends by itself after the start. */
  readonly onFailure: (error: Error) => void;
}

/** The whole local deployment: chains, fork service, bundlers and API server. */
export interface LocalDeployment {
  readonly apiUrl: string;
  readonly devnet: Devnet;
  readonly logDirectory: string;
  stop(): Promise<void>;
}

interface Parts {
  devnet?: Devnet;
  server?: AppProcess;
}

/**
 * Start the local deployment and show the progress.
 *
 * @throws {PortTakenError} When a given port is in use.
 * @throws {ProcessFailedError} When a part does not get ready.
 */
export async function startDeployment(options: DeploymentOptions): Promise<LocalDeployment> {
  const port = await choosePort(options.port, 'API server', 'PORT');
  const relayMode = readRelayMode(process.env);
  const forkServicePort = readPort(process.env, 'FORK_SERVICE_PORT', 0);
  const local = join(repositoryRoot, '.local');
  // The logs stay after the deployment stops.
  const { path: logDirectory } = makeTemporaryFolder(join(local, 'logs'), 'instance-', { keep: true });
  const data = makeTemporaryFolder(join(local, 'data'), 'instance-');
  const parts: Parts = {};
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      await parts.server?.stop();
      await parts.devnet?.stop();
      data.remove();
    })());
  const onFailure = (error: Error): void => {
    if (!stopping) options.onFailure(error);
  };

  const tasks = new Listr<Parts>(
    [
      {
        title:
          relayMode === 'managed-fork'
            ? 'Ethereum and Base, with vaults and weeks of history, and for each a fork and a bundler'
            : 'Ethereum and Base, with vaults, weeks of history and a bundler each',
        task: async (_, task) => {
          parts.devnet = await startDevnet({
            relayMode,
            paid: options.paid,
            ports: readPorts(process.env),
            forkServicePort,
            logDirectory,
            onProgress: (message) => (task.output = message),
            onFailure,
          });
        },
      },
      {
        title: 'API server',
        task: async (_, task) => {
          parts.server = await startServer({
            chains: parts.devnet?.chains ?? [],
            forkService: parts.devnet?.forkService,
            host: options.host,
            port,
            paid: options.paid,
            dataDirectory: data.path,
            logFile: join(logDirectory, 'api.log'),
            onProgress: (message) => (task.output = message),
          });
        },
      },
    ],
    {
      rendererOptions: { timer: PRESET_TIMER },
      fallbackRendererOptions: { timer: PRESET_TIMER },
      // `runUntilSignal` handles the signals.
      registerSignalListeners: false,
    },
  );
  try {
    await tasks.run();
  } catch (error) {
    await stop();
    throw error;
  }
  const { devnet, server } = parts as Required<Parts>;
  void server.ended.then((how) => onFailure(new Error(`The API server ${how}`)));
  return { apiUrl: server.url, devnet, logDirectory, stop };
}
