import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from 'viem';
import { freePort, ProcessFailedError, spawnTied, type TiedProcess } from '@yield-vault/forks/anvil';
import { executorKeys, utilityKey } from './bundler-accounts.js';

const require = createRequire(import.meta.url);
const readinessDeadlineMs = 40_000;

/** A running bundler. */
export interface BundlerProcess extends TiedProcess {
  readonly url: string;
}

/**
 * Start an Alto bundler for a chain and wait until it responds.
 *
 * @param options.rpcUrl RPC of the chain, or of a fork of it.
 * @param options.port Any free one by default.
 * @param options.home Folder that it may take for its home.
 * @param options.logFile Path of its output, which is dropped without it.
 * @throws {ProcessFailedError} When it does not get ready.
 */
export async function startBundler(options: {
  readonly rpcUrl: string;
  readonly entryPoint: Address;
  readonly port?: number;
  readonly home: string;
  readonly logFile?: string;
}): Promise<BundlerProcess> {
  const port = options.port ?? (await freePort());
  const cli = join(dirname(require.resolve('@pimlico/alto')), 'cli', 'alto.js');
  const args = [
    ...[cli, '--rpc-url', options.rpcUrl, '--port', String(port), '--entrypoints', options.entryPoint],
    ...['--executor-private-keys', executorKeys.join(','), '--utility-private-key', utilityKey],
    // Anvil lacks the tracer that safe mode needs.
    ...['--safe-mode', 'false'],
    ...['--min-bundle-interval', '50', '--max-bundle-interval', '100', '--block-time', '100'],
    // A bundle that went down with a fork would keep its senders waiting for ten seconds.
    ...['--resubmit-stuck-timeout', '2000'],
    ...['--log-level', 'info', '--json', 'true'],
  ];
  const log = options.logFile === undefined ? 'ignore' : openLog(options.logFile);
  const bundler = spawnTied(process.execPath, args, {
    env: { PATH: process.env['PATH'], HOME: options.home },
    stdio: ['ignore', log, log],
  });
  if (typeof log === 'number') closeSync(log);

  const url = `http://127.0.0.1:${String(port)}`;
  const hint = options.logFile === undefined ? '' : ` Its log: ${options.logFile}`;
  try {
    await Promise.race([
      waitUntilReady(url),
      bundler.ended.then((how): never => {
        throw new ProcessFailedError(`The bundler ${how}.${hint}`);
      }),
    ]);
  } catch (error) {
    await bundler.kill();
    throw error;
  }
  return { ...bundler, url };
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + readinessDeadlineMs;
  while (Date.now() < deadline) {
    if (await responses(url)) return;
    await sleep(50);
  }
  throw new ProcessFailedError(`The bundler at ${url} did not respond in time.`);
}

async function responses(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_supportedEntryPoints', params: [] }),
      signal: AbortSignal.timeout(2_000),
    });
    const body = (await response.json()) as { result?: unknown };
    return Array.isArray(body.result) && body.result.length > 0;
  } catch {
    return false; // Not listening yet.
  }
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'w');
}
