import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { tripsKept, type LatencyProxyData } from './latency-proxy-data.js';

/** Stands for the way to a remote service. */
export interface LatencyProxy {
  readonly url: string;
  /** HTTP requests so far. */
  requests(): number;
  /** When the requests from this number on came and were answered; the newest are kept. */
  trips(from: number): readonly Trip[];
  stop(): Promise<void>;
}

/** A request and its response, in milliseconds since 1970. */
export interface Trip {
  readonly start: number;
  readonly end: number;
}

/** Start a proxy that delays every HTTP response and counts the requests. */
export async function startLatencyProxy(targetUrl: string, delayMs: number): Promise<LatencyProxy> {
  const requests = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const times = new Float64Array(new SharedArrayBuffer(tripsKept * 2 * Float64Array.BYTES_PER_ELEMENT));
  const workerData: LatencyProxyData = { targetUrl, delayMs, requests, times };
  // A thread of its own: in the one that is measured, work on this side would make the other side late.
  const worker = new Worker(new URL('./latency-proxy.js', import.meta.url), { workerData });
  const [url] = (await once(worker, 'message')) as [string];
  const count = () => Atomics.load(requests, 0);
  return {
    url,
    requests: count,
    trips: (from) =>
      Array.from({ length: count() - from }, (_, index) => {
        const place = ((from + index) % tripsKept) * 2;
        return { start: times[place]!, end: times[place + 1]! };
      }),
    stop: async () => void (await worker.terminate()),
  };
}
