import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DevnetChain } from '@yield-vault/devnet';
import { mapValues, type Defer } from './harness.js';
import { startLatencyProxy } from './latency-proxy.js';
import { makeDirectory } from './service.js';

/** Calls by method. */
export type Counts = Readonly<Record<string, number>>;
export type Proxies = Awaited<ReturnType<typeof startProxies>>;

/** Write the local deployment file with final results two blocks deep, and without limits that a single client meets. */
export async function writeConfig(defer: Defer): Promise<string> {
  const directory = await makeDirectory(defer);
  const source = join(import.meta.dirname, '../../../config');
  const text = (await readFile(join(source, 'local.yaml'), 'utf8'))
    .replaceAll('confirmations: 0', 'confirmations: 1')
    .replace(/^ {4}(status|execute|other): .*/gm, '    $1: 1000000')
    .replace(/^ {2}(sample|probe)IntervalSeconds: .*\n/gm, '')
    .replace('./registry.local.json', join(source, 'registry.local.json'));
  const most = '{ perClient: 1000000 }';
  const path = join(directory, 'fleet.yaml');
  await writeFile(path, `${text}\nrelay: { executeWaitSeconds: 170, maxWaiting: ${most} }\n`);
  return path;
}

/** Put a distant proxy in front of each node and each bundler. */
export async function startProxies(chains: readonly DevnetChain[], latency: number, defer: Defer) {
  const start = (url: string) => startLatencyProxy(url, latency, defer);
  const nodes = await Promise.all(chains.map(({ rpcUrl }) => start(rpcUrl)));
  const bundlers = await Promise.all(chains.map(({ bundlerUrl }) => start(bundlerUrl)));
  return {
    chains: chains.map((chain, index) => ({
      ...chain,
      rpcUrl: nodes[index]!.url,
      bundlerUrl: bundlers[index]!.url,
    })),
    /** Calls of the nodes so far, by method. */
    count: (): Counts => {
      const counts: Record<string, number> = {};
      for (const { calls } of nodes)
        for (const [method, value] of Object.entries(calls)) counts[method] = (counts[method] ?? 0) + value;
      return counts;
    },
  };
}

export const difference = (after: Counts, before: Counts) =>
  mapValues(after, (value, method) => value - (before[method] ?? 0));
export const sum = (counts: Counts) => Object.values(counts).reduce((total, value) => total + value, 0);
export const list = (counts: Counts) =>
  Object.entries(counts)
    .filter(([, value]) => value >= 0.01)
    .map(([method, value]) => `${method} ${value.toFixed(2)}`)
    .join(', ');

/** Count the calls of a window, in calls per second. */
export async function perSecond(proxies: readonly Proxies[], windowMs: number): Promise<Counts[]> {
  const before = proxies.map((each) => each.count());
  await pause(windowMs);
  return proxies.map((each, index) =>
    mapValues(difference(each.count(), before[index]!), (calls) => calls / (windowMs / 1_000)),
  );
}
