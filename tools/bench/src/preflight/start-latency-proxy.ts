import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LatencyProxyData } from './latency-proxy.js';

/** Stands for the way to a remote RPC. */
export interface LatencyProxy {
  readonly url: string;
  /** HTTP requests so far. */
  requests(): number;
  stop(): Promise<void>;
}

/** Start a proxy that delays every HTTP answer and counts the requests. */
export async function startLatencyProxy(targetUrl: string, delayMs: number): Promise<LatencyProxy> {
  const requests = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: LatencyProxyData = { targetUrl, delayMs, requests };
  // A thread of its own: in the one that is measured, work on this side would make the other side late.
  const worker = new Worker(new URL('./latency-proxy.js', import.meta.url), { workerData });
  const [url] = (await once(worker, 'message')) as [string];
  return {
    url,
    requests: () => Atomics.load(requests, 0),
    stop: async () => void (await worker.terminate()),
  };
}
