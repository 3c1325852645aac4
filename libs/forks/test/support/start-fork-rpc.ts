import { createServer } from 'node:http';
import { listen } from '@yield-vault/testing';
import { createForkRpcHandler } from '../../src/server/rpc/create-fork-rpc-handler.js';

/** The stable addresses of the persistent forks. */
export interface ForkRpcServer {
  /** Stays the same while the fork behind it is recreated. */
  urlOf(chain: string): string;
  /** Stop listening; the forks stay. */
  close(): Promise<void>;
}

/** Serve the plain JSON-RPC of the persistent forks under `/rpc/<chain>`, as the fork service does. */
export async function startForkRpc(
  provider: Parameters<typeof createForkRpcHandler>[0],
): Promise<ForkRpcServer> {
  const handle = createForkRpcHandler(provider);
  const server = createServer((request, response) => {
    const caller = new AbortController();
    response.once('close', () => caller.abort());
    void request
      .toArray()
      .then(async (chunks) => {
        const body = Buffer.concat(chunks as Buffer[]);
        const {
          status,
          body: text,
          retryAfterSeconds,
        } = await handle(request.url?.slice('/rpc/'.length) ?? '', body, caller.signal);
        if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      })
      .catch(() => undefined);
  });
  const { port, stop } = await listen(server);
  return { urlOf: (chain) => `http://127.0.0.1:${port}/rpc/${chain}`, close: stop };
}
