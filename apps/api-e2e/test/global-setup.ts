import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startBundler,
  startDevnet,
  startForkService,
  type DevnetChain,
  type ForkServiceAccess,
} from '@yield-vault/devnet';
import { startServer } from './support/start-server.ts';

declare global {
  // Handed from setup to teardown, which run in the same process.
  var e2eTeardown: (() => Promise<void>) | undefined;
}

/** Values for the test files. */
export interface Published {
  /** Wallets act on the chains; a bundler on each. */
  readonly chains: readonly DevnetChain[];
  /** Wallets act on the persistent forks of the same chains; a bundler on each. */
  readonly forked: readonly DevnetChain[];
  readonly forkService: ForkServiceAccess & { readonly pid: number };
  /** URLs of the servers that the files share, for every test whose subject is neither settings nor the death of one. */
  readonly servers: {
    /** Wallets act on the chains. */
    readonly default: string;
    /** Wallets act on the forks; the database is the embedded one. */
    readonly forked: string;
  };
}

/**
 * Start what every test file shares: the chains, a fork service on top of them, bundlers on both, and a server on
 * each. Jest loads this file without its own resolver: a relative import names the TypeScript file.
 */
export default async function globalSetup(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'api-e2e-'));
  const logDirectory = process.env['E2E_LOG_DIRECTORY'] ?? home;
  const devnet = await startDevnet({ logDirectory });
  const ending: (() => Promise<void>)[] = [() => rm(home, { recursive: true, force: true }), devnet.stop];
  globalThis.e2eTeardown = async () => {
    for (const end of ending.reverse()) await end();
  };
  const { chains } = devnet;
  const forkService = await startForkService({ chains, logFile: join(logDirectory, 'fork-service.log') });
  ending.push(forkService.stop);
  const forked = await Promise.all(
    chains.map(async (chain): Promise<DevnetChain> => {
      const walletRpcUrl = forkService.rpcUrlOf(chain.key);
      const bundler = await startBundler({
        rpcUrl: walletRpcUrl,
        entryPoint: chain.entryPoint,
        home: join(home, chain.key),
        logFile: join(logDirectory, `${chain.key}-fork-bundler.log`),
      });
      ending.push(bundler.kill);
      return { ...chain, walletRpcUrl, bundlerUrl: bundler.url };
    }),
  );
  const { url, credential, child } = forkService;
  const access = { url, credential, pid: child.pid ?? 0 };
  const publish = (servers: Published['servers']) => {
    const published: Published = { chains, forked, forkService: access, servers };
    process.env['E2E_PUBLISHED'] = JSON.stringify(published);
  };
  publish({ default: '', forked: '' });
  const options = { backfillHours: 48, requestsPerMinute: 1_000_000 };
  const servers = await Promise.all([
    startServer(options),
    startServer({ ...options, forkService: access, embedded: true }),
  ]);
  ending.push(...servers.map(({ stop }) => stop));
  publish({ default: servers[0].url, forked: servers[1].url });
}
