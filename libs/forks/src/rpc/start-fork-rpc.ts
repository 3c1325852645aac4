import { createForkRpcHandler, type ForkRpcSource } from './create-fork-rpc-handler.js';
import { serveRpc } from './serve-rpc.js';

/** The stable addresses of the persistent forks. */
export interface ForkRpcServer {
  readonly port: number;
  /** Stays the same while the fork behind it is recreated. */
  urlOf(chain: string): string;
  /** Stop listening; the forks stay. */
  close(): Promise<void>;
}

/** Longest body of a call, in bytes; as in Anvil. */
export const forkRpcBodyLimit = 2 * 2 ** 20;

/**
 * Serve the plain JSON-RPC of the persistent forks under `/rpc/<chain>`.
 *
 * @param options.host - loopback by default
 * @param options.port - 0, the default, for any free port
 */
export async function startForkRpc({
  provider,
  host = '127.0.0.1',
  port = 0,
}: {
  readonly provider: ForkRpcSource;
  readonly host?: string;
  readonly port?: number;
}): Promise<ForkRpcServer> {
  const handler = createForkRpcHandler(provider);
  const server = await serveRpc({
    host,
    port,
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
    urlOf: (chain) => `http://${host}:${String(server.port)}/rpc/${chain}`,
    close: async () => {
      await server.close();
      await handler.close();
    },
  };
}
