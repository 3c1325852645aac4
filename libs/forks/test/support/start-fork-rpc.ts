import {
  createForkRpcHandler,
  forkRpcBodyLimit,
  type ForkRpcSource,
} from '../../src/rpc/create-fork-rpc-handler.js';
import { serveRpc } from '../../src/rpc/serve-rpc.js';

/** The stable addresses of the persistent forks. */
export interface ForkRpcServer {
  readonly port: number;
  /** Stays the same while the fork behind it is recreated. */
  urlOf(chain: string): string;
  /** Stop listening; the forks stay. */
  close(): Promise<void>;
}

/** Serve the plain JSON-RPC of the persistent forks under `/rpc/<chain>`, as the fork service does. */
export async function startForkRpc({
  provider,
}: {
  readonly provider: ForkRpcSource;
}): Promise<ForkRpcServer> {
  const handler = createForkRpcHandler(provider);
  const server = await serveRpc({
    host: '127.0.0.1',
    port: 0,
    bodyLimit: forkRpcBodyLimit,
    handle: (path, body, signal) => {
      const chain = /^\/rpc\/([\w-]+)$/.exec(path)?.[1];
      return chain === undefined
        ? Promise.resolve({ status: 404, body: '{}' })
        : handler(chain, body, signal);
    },
  });
  return {
    port: server.port,
    urlOf: (chain) => `http://127.0.0.1:${String(server.port)}/rpc/${chain}`,
    close: async () => {
      await server.close();
      await handler.close();
    },
  };
}
