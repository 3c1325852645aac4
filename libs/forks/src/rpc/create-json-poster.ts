import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import { splitCredentials } from './split-credentials.js';

export interface JsonPoster {
  /**
   * POST a JSON body over a connection that is kept.
   *
   * @throws {Error} of undici, when the other side cannot be reached, is cut off, too slow or says too much
   */
  post(
    url: string,
    body: string | Uint8Array,
    options: { readonly deadlineMs: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly status: number; readonly body: Buffer }>;
  /** Cut every connection. */
  close(): Promise<void>;
}

const defaultConnections = 128;

/**
 * Make a poster of JSON bodies with a pool of connections per server.
 *
 * @param options.connections - at most, to each server; what comes on top waits. `null` for no limit
 * @param options.maxAnswerBytes - longest answer, which is held in memory; without it there is no limit
 */
export function createJsonPoster({
  connections = defaultConnections,
  maxAnswerBytes,
}: { readonly connections?: number | null; readonly maxAnswerBytes?: number } = {}): JsonPoster {
  const agent = new Agent({
    connections,
    ...(maxAnswerBytes !== undefined && { maxResponseSize: maxAnswerBytes }),
  });
  const targets = new LRUCache<string, Target>({ max: 100 });
  const targetOf = (url: string): Target => {
    const known = targets.get(url) ?? parse(url);
    targets.set(url, known);
    return known;
  };
  return {
    async post(url, body, { deadlineMs, signal }) {
      const { origin, path, headers } = targetOf(url);
      const response = await agent.request({
        origin,
        path,
        method: 'POST',
        headers,
        body,
        // Of the pool: a timer for each request would halve the throughput.
        headersTimeout: deadlineMs,
        bodyTimeout: deadlineMs,
        ...(signal && { signal }),
      });
      return { status: response.statusCode, body: Buffer.from(await response.body.arrayBuffer()) };
    },
    close: () => agent.destroy(),
  };
}

interface Target {
  readonly origin: string;
  readonly path: string;
  readonly headers: Record<string, string>;
}

function parse(address: string): Target {
  const { url, headers } = splitCredentials(address);
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, 'content-type': 'application/json' },
  };
}
