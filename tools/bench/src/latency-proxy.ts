import { setTimeout as pause } from 'node:timers/promises';
import { startRpcProxy } from '@yield-vault/testing';
import type { Defer } from './harness.js';

/** A request and its response, in milliseconds. */
interface Trip {
  readonly start: number;
  readonly end: number;
}

/** Start a proxy that delays every HTTP response, like the way to a remote service. */
export async function startLatencyProxy(targetUrl: string, delayMs: number, defer: Defer) {
  const proxy = await startRpcProxy(targetUrl);
  defer(() => proxy.stop());
  let trips: Trip[] = [];
  const calls: Record<string, number> = {};
  proxy.addHook(async (batch, forward) => {
    for (const { method } of batch) calls[method] = (calls[method] ?? 0) + 1;
    const start = performance.now();
    const [response] = await Promise.all([forward(), pause(delayMs)]);
    trips.push({ start, end: performance.now() });
    return response;
  });
  return {
    url: proxy.url,
    /** Calls so far by method, each call of a batch. */
    calls: calls as Readonly<Record<string, number>>,
    /** The round trips since the last call. */
    takeTrips: () => {
      const taken = trips;
      trips = [];
      return taken;
    },
  };
}

/** Count how many of some round trips waited for another one: the longest row of them, one after the other. */
export function sequentialTrips(trips: readonly Trip[]): number {
  let [count, free] = [0, -Infinity];
  for (const { start, end } of trips.toSorted((a, b) => a.end - b.end))
    if (start >= free) [count, free] = [count + 1, end];
  return count;
}
