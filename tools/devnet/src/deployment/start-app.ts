import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessFailedError, spawnTied } from '@yield-vault/forks/anvil';
import { variableOf } from '../steps/choose-ports.js';
import type { AppProcess, DevnetChain } from '../types.js';

/** The folder of the repository. */
export const repositoryRoot = join(import.meta.dirname, '../../../..');

const readinessDeadlineMs = 90_000;
// A server takes 25 s at most.
const shutdownDeadlineMs = 30_000;

interface AppOptions {
  /** Its name in messages, e.g. `API server`. */
  readonly title: string;
  /** Its folder in `apps`. */
  readonly app: string;
  /** Settings on top of this process's own; `undefined` removes one. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly url: string;
  /** Path that returns 200 once it is ready. */
  readonly readyPath: string;
  /** Pause between two polls, in milliseconds. */
  readonly pollMs: number;
  /** Log file. */
  readonly logFile: string;
  /** Called at every poll. */
  readonly onPoll?: () => void;
}

/**
 * Start a built server of this repository on `config/local.yaml`, unless `env` names another file, and wait until it is ready.
 *
 * @throws {ProcessFailedError} When it does not get ready; the message ends with its last log lines.
 */
export async function startApp({ title, app, env, url, logFile, ...ready }: AppOptions): Promise<AppProcess> {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  const started = spawnTied(process.execPath, [join(repositoryRoot, 'apps', app, 'dist/main.js')], {
    cwd: repositoryRoot,
    env: { ...process.env, YIELD_VAULT_CONFIG: join(repositoryRoot, 'config/local.yaml'), ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const waiting = new AbortController();
  try {
    const isReady = await Promise.race([
      untilReady(url, ready, waiting.signal),
      started.ended.then((how): never => {
        throw new ProcessFailedError(`The ${title} ${how}.`);
      }),
    ]);
    if (!isReady) throw new ProcessFailedError(`The ${title} did not get ready in time.`);
  } catch (error) {
    await started.kill();
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProcessFailedError(`${reason} It said (${logFile}):\n${lastLines(logFile)}`);
  } finally {
    waiting.abort();
  }
  return {
    ...started,
    url,
    async stop() {
      started.child.kill('SIGTERM');
      await Promise.race([started.ended, sleep(shutdownDeadlineMs, undefined, { ref: false })]);
      await started.kill();
    },
  };
}

async function untilReady(
  url: string,
  { readyPath, pollMs, onPoll }: Pick<AppOptions, 'readyPath' | 'pollMs' | 'onPoll'>,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = Date.now() + readinessDeadlineMs;
  while (Date.now() < deadline && !signal.aborted) {
    try {
      const response = await fetch(`${url}${readyPath}`, { signal: AbortSignal.timeout(2_000) });
      // The API responds 200 as soon as one chain serves. A node without the past serves, too.
      if (response.ok && !/"reasons":\[(?!\]|"archive:[^"]+"\])/.test(await response.text())) return true;
    } catch {
      // Not listening yet.
    }
    onPoll?.();
    await sleep(pollMs);
  }
  return false;
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}

/** Build the variables of a local deployment file that name the endpoints of the chains. */
export function chainVariables(
  chains: readonly Pick<DevnetChain, 'key' | 'rpcUrl' | 'bundlerUrl'>[],
): Record<string, string> {
  return Object.fromEntries(
    chains.flatMap(({ key, rpcUrl, bundlerUrl }) => {
      const name = variableOf(key);
      return [
        [`${name}_RPC_URL`, rpcUrl],
        [`${name}_BUNDLER_URL`, bundlerUrl],
      ];
    }),
  );
}
