import { startTcpProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../support/api-client.js';
import { startProxies } from '../support/start-proxies.js';
import { startServer, type Server } from '../support/start-server.js';
import type { ServerProxies } from './kill-points.js';
import { bundlerDeadlineMs } from './send-faults.js';

/** A server whose every upstream is behind a proxy of its own. */
export interface ProxiedServer {
  readonly api: ApiClient;
  readonly proxies: ServerProxies;
  /** Whether it serves now. */
  isUp(): boolean;
  /** Kill it and start it again in the background. */
  kill(): Promise<void>;
  /** Resolves once it serves again. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** Start a server that shares a database with others. */
export async function startProxiedServer(databaseUrl: string, expirySeconds: number): Promise<ProxiedServer> {
  const { rpc, bundler, upstreams, stop } = await startProxies();
  const database = await startTcpProxy(databaseUrl);
  const url = new URL(databaseUrl);
  url.port = String(database.port);
  let server: Server = await startServer({
    backfillHours: 30,
    requestsPerMinute: 1_000_000,
    upstreams,
    settings: {
      'intents.expirySeconds': expirySeconds,
      'relay.executeWaitSeconds': 3,
      'preflight.deadlineMs': 2_500,
      'chains.base.deadlines': { rpcMs: 2_500, bundlerMs: bundlerDeadlineMs },
      // So that an intent is included before it is confirmed.
      'chains.base.confirmations': 1,
    },
    env: { DATABASE_URL: url.href },
  });
  let starting: Promise<void> | undefined;
  return {
    api: await createApiClient(server.url),
    proxies: { rpc, bundler, database },
    isUp: () => starting === undefined,
    kill: async () => {
      const killed = server.end('SIGKILL');
      database.cut();
      database.restore();
      starting = killed
        .then(() => server.restart())
        .then((restarted) => {
          server = restarted;
          starting = undefined;
        });
      await killed;
    },
    ready: async () => starting,
    stop: async () => {
      await starting;
      await server.stop();
      await Promise.all([stop(), database.stop()]);
    },
  };
}
