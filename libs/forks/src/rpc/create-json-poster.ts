import { splitCredentials } from '@yield-vault/chains';
import { Agent } from 'undici';

export interface JsonPoster {
  /**
   * POST a JSON body over a pooled connection.
   *
   * @throws {Error} from undici, when the request fails, times out, or the response is too long
   */
  post(
    address: string,
    body: string | Uint8Array,
    options: { readonly deadlineMs: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly status: number; readonly body: Buffer }>;
  /** Close every connection. */
  close(): Promise<void>;
}

const defaultConnections = 128;

/**
 * Make a poster of JSON bodies with a pool of connections per server.
 *
 * @param options.connections Most connections to each server; further requests wait. `null` for no limit.
 * @param options.maxResponseBytes Longest response, in bytes. No limit by default.
 */
export function createJsonPoster({
  connections = defaultConnections,
  maxResponseBytes,
}: { readonly connections?: number | null; readonly maxResponseBytes?: number } = {}): JsonPoster {
  const agent = new Agent({
    connections,
    ...(maxResponseBytes !== undefined && { maxResponseSize: maxResponseBytes }),
  });
  return {
    async post(address, body, { deadlineMs, signal }) {
      const { url, headers } = splitCredentials(address);
      const response = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // Not by a signal: a timer per request would halve the throughput.
        headersTimeout: deadlineMs,
        bodyTimeout: deadlineMs,
        ...(signal && { signal }),
      });
      return { status: response.statusCode, body: Buffer.from(await response.body.arrayBuffer()) };
    },
    close: () => agent.destroy(),
  };
}

/** Parse JSON text; `undefined` when it is not valid. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString()) as unknown;
  } catch {
    return undefined;
  }
}
