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
}

/**
 * Start what every test file shares: the chains, a fork service on top of them, and bundlers on both; each file starts
 * its own server. Jest loads this file without its own resolver: no relative import of a value works here.
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
  const published: Published = { chains, forked, forkService: { url, credential, pid: child.pid ?? 0 } };
  process.env['E2E_PUBLISHED'] = JSON.stringify(published);
}
