import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentClient, localAddressBook, type Agent } from '@yield-vault/agent-client';
import { createTemporaryPostgres } from '@yield-vault/database/testing';
import {
  chainVariables,
  fundWallet,
  startApp,
  startDevnet,
  startServer,
  type DevnetChain,
} from '@yield-vault/devnet';
import { freePort } from '@yield-vault/forks/anvil';
import { localVaults } from '@yield-vault/testing/local';
import type { PrivateKeyAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Defer } from './harness.js';

/** The steady USDC vaults of the local Base. */
export const steadyVaults = localVaults[8453].filter(
  ({ kind, asset }) => kind === 'steady' && asset === 'USDC',
);

/** Start an empty database in PostgreSQL. */
export async function startDatabase(defer: Defer): Promise<string> {
  const { url, drop } = await createTemporaryPostgres();
  defer(drop);
  return url;
}

/** Start a devnet of the Base chain alone, with a little history: nothing that is measured depends on more. */
export async function startBase(defer: Defer, options: { readonly bundlers?: boolean } = {}) {
  const devnet = await startDevnet({ chains: ['base'], historyDays: 1, ...options });
  defer(() => devnet.stop());
  return devnet.chains[0]!;
}

/** Start both chains. */
export async function startChains(defer: Defer) {
  const devnet = await startDevnet();
  defer(() => devnet.stop());
  return { chains: devnet.chains, base: devnet.chains.find(({ key }) => key === 'base')! };
}

/** Make a folder that is removed at the end. */
export async function makeDirectory(defer: Defer): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Start the built server as it is deployed. @returns its URL */
export async function startService(
  chains: readonly DevnetChain[],
  env: Readonly<Record<string, string>>,
  defer: Defer,
): Promise<string> {
  const directory = await makeDirectory(defer);
  const server = await startServer({
    chains,
    host: '127.0.0.1',
    port: await freePort(),
    env,
    dataDirectory: join(directory, 'database'),
    logFile: join(directory, 'api.log'),
  });
  defer(server.stop);
  return server.url;
}

/** Start the built worker as it is deployed. @returns its URL */
export async function startWorker(
  chains: readonly DevnetChain[],
  env: Readonly<Record<string, string>>,
  defer: Defer,
): Promise<string> {
  const directory = await makeDirectory(defer);
  const port = await freePort();
  const worker = await startApp({
    title: 'worker',
    app: 'worker',
    env: { ...chainVariables(chains), METRICS_PORT: String(port), RELAY_MODE: 'chain', ...env },
    url: `http://127.0.0.1:${port}`,
    readyPath: '/health',
    pollMs: 100,
    logFile: join(directory, 'worker.log'),
  });
  defer(worker.stop);
  return worker.url;
}

/** Make a wallet with ETH and USDC. */
export async function newWallet(chain: DevnetChain) {
  const wallet = privateKeyToAccount(generatePrivateKey());
  await fundWallet(chain, wallet.address, { ethWei: 10n ** 18n, usdc: 10_000_000_000n });
  return wallet;
}

interface TimedAgent {
  readonly agent: Agent & { readonly signer: PrivateKeyAccount };
  readonly requests: readonly { readonly start: number; readonly end: number }[];
}

/** Make an agent with a new wallet that notes when each request began and ended. */
export async function newAgent(baseUrl: string, chain: DevnetChain): Promise<TimedAgent> {
  const signer = await newWallet(chain);
  const requests: { readonly start: number; readonly end: number }[] = [];
  const client = createAgentClient({
    baseUrl,
    fetch: async (request) => {
      const start = performance.now();
      const response = await fetch(request);
      const body = await response.text();
      requests.push({ start, end: performance.now() });
      return new Response(body, response);
    },
  });
  const agent = { client, signer, rpc: chain.rpcUrl, chain: chain.key, addressBook: localAddressBook };
  return { agent, requests };
}
