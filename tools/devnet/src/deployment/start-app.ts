import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessFailedError, spawnTied, type TiedProcess } from '@yield-vault/anvil';
import { repositoryRoot } from './repository-root.js';

const readinessDeadlineMs = 90_000;
// A server takes 25 s at most.
const shutdownDeadlineMs = 30_000;

/** A running server of this repository that is ready to answer. */
export interface AppProcess extends TiedProcess {
  readonly url: string;
  /** Let it finish what it is doing, then end it. */
  readonly stop: () => Promise<void>;
}

export interface AppOptions {
  /** What it is, for messages, e.g. `API server`. */
  readonly title: string;
  /** Its folder in `apps`. */
  readonly app: string;
  /** Settings on top of those of this process; `undefined` takes one away. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly url: string;
  /** Path that answers 200 once it is ready. */
  readonly readyPath: string;
  /** How often that is asked, in milliseconds. */
  readonly pollMs: number;
  /** Where its log goes. */
  readonly logFile: string;
  /** Called at every poll. */
  readonly onPoll?: () => void;
}

/**
 * Start a built server of this repository on the local deployment file, and wait until it is ready.
 *
 * @throws {ProcessFailedError} When it does not get ready; the message ends with what it said last.
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
      if (response.ok) return true;
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
