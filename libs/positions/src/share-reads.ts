import type { Scan } from './ports.js';
import { none, type HeadBlocks, type Past, type PastReader } from './past-reader.js';

/** Reads the past for several requests at once. */
export interface SharedReader {
  /** Wait for the past of a wallet until the signal aborts. What is being read then goes on. */
  catchUp(scan: Scan, head: HeadBlocks, signal: AbortSignal): Promise<Past>;
}

/** One reading of a wallet's past, and the number of requests that wait for it. */
interface Reading {
  readonly pinned: bigint;
  readonly past: Promise<Past>;
  readonly stop: AbortController;
  requests: number;
}

const pending: Past = { isComplete: false, head: none };

/** Let requests for one wallet share what they read. Reading ends when no request waits for it any more. */
export function shareReads(reader: Pick<PastReader, 'catchUp'>): SharedReader {
  const readings = new Map<string, Reading>();

  const begin = (scan: Scan, head: HeadBlocks): Reading => {
    const wallet = scan.wallet.toLowerCase();
    const stop = new AbortController();
    const past = reader.catchUp(scan, head, stop.signal).finally(() => {
      if (readings.get(wallet) === reading) readings.delete(wallet);
    });
    const reading: Reading = { pinned: head.pinned, past, stop, requests: 0 };
    // The last request may have left before it fails.
    past.catch(() => undefined);
    readings.set(wallet, reading);
    return reading;
  };

  return {
    async catchUp(scan, head, signal) {
      const running = readings.get(scan.wallet.toLowerCase());
      const isShared = running && running.pinned >= head.pinned && !running.stop.signal.aborted;
      const reading = isShared ? running : begin(scan, head);
      reading.requests += 1;
      const leave = () => {
        reading.requests -= 1;
        if (reading.requests === 0) reading.stop.abort();
      };
      const left = new Promise<Past>((resolve) => {
        if (signal.aborted) resolve(pending);
        signal.addEventListener('abort', () => resolve(pending), { once: true });
      });
      return Promise.race([reading.past, left]).finally(leave);
    },
  };
}
