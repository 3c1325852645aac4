import { ReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { onSendAsyncHookHandler } from 'fastify';

const gzip = promisify(zlib.gzip);

/** Compress responses that are the same for every client: each one once, for clients that accept gzip. */
export function compressOnce(): onSendAsyncHookHandler {
  // By file or route, so that no path of a client adds an entry.
  const kept = new Map<unknown, Buffer>();
  return async ({ method, headers, routeOptions }, reply, payload) => {
    void reply.header('vary', 'Accept-Encoding');
    const isComplete = method === 'GET' && reply.statusCode === 200;
    if (!isComplete || !negotiate(headers['accept-encoding'] ?? '', ['gzip'])) return payload;
    const isFile = payload instanceof ReadStream;
    const key = isFile ? payload.path : routeOptions.url;
    let compressed = kept.get(key);
    if (compressed === undefined) {
      compressed = await gzip(isFile ? await buffer(payload) : (payload as string));
      kept.set(key, compressed);
    } else if (isFile) payload.destroy();
    void reply.removeHeader('content-length').header('content-encoding', 'gzip');
    return compressed;
  };
}
