import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { credential } from './start-service.js';

const root = resolve(__dirname, '../../../..');

export interface ServiceProcess {
  readonly pid: number;
  /** Everything that it said so far, on both outputs. */
  said(): string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves with its URL once it listens; with `undefined` when it ends before. */
  readonly listening: Promise<string | undefined>;
  kill(signal: NodeJS.Signals): void;
}

/** Start the built service as operators do. */
export function startProcess(env: Readonly<Record<string, string>>): ServiceProcess {
  const child = spawn(process.execPath, [join(root, 'apps/fork-service/dist/main.js')], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      YIELD_VAULT_CONFIG: 'config/local.yaml',
      BASE_RPC_URL: 'http://127.0.0.1:9',
      ETHEREUM_RPC_URL: 'http://127.0.0.1:9',
      BASE_BUNDLER_URL: 'http://127.0.0.1:9',
      ETHEREUM_BUNDLER_URL: 'http://127.0.0.1:9',
      FORK_SERVICE_PORT: '0',
      FORK_SERVICE_CREDENTIAL: credential,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const ended = new Promise<number | NodeJS.Signals>((done) => {
    // `close`, so that everything it said has arrived.
    child.once('close', (code, signal) => done(signal ?? code ?? 0));
  });
  const listening = new Promise<string | undefined>((done) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      const url = /"url":"(http[^"]+)"/.exec(said)?.[1];
      if (url !== undefined) done(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(() => done(undefined));
  });
  return {
    pid: child.pid ?? 0,
    said: () => said,
    ended,
    listening,
    kill: (signal) => void child.kill(signal),
  };
}
