import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgentClient } from '@yield-vault/agent-client';
import { freePort } from '@yield-vault/forks/anvil';
import { startProviderProxy, type ProviderName, type RpcProxy } from '@yield-vault/testing';
import { runDemoFlow } from '../src/demo/flow.js';
import { repositoryRoot } from '../src/deployment/start-app.js';
import { startDevnet, startServer, type Devnet } from '../src/index.js';

jest.setTimeout(400_000);

// It waits for the limits of providers for seven minutes, so the check leaves it out: PROVIDERS=1 npx jest providers
const slowly = process.env['PROVIDERS'] ? it : it.skip;

const folder = mkdtempSync(join(tmpdir(), 'yield-vault-providers-'));
let devnet: Devnet;
let proxies: RpcProxy[] = [];
beforeAll(async () => {
  devnet = await startDevnet({ chains: ['arbitrum'] });
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  proxies = [];
});
afterAll(async () => {
  await devnet?.stop();
  rmSync(folder, { recursive: true });
});

/** Start the service behind a provider of the node and of the bundler. */
async function startBehind(provider: ProviderName, env: Record<string, string> = {}) {
  const chain = devnet.chains[0]!;
  for (const url of [chain.rpcUrl, chain.bundlerUrl]) proxies.push(await startProviderProxy(provider, url));
  const [node, bundler] = proxies as [RpcProxy, RpcProxy];
  const logFile = join(folder, `${provider}.log`);
  const server = await startServer({
    chains: [{ ...chain, rpcUrl: node.url, bundlerUrl: bundler.url }],
    host: '127.0.0.1',
    port: await freePort(),
    dataDirectory: join(folder, provider),
    logFile,
    env: { YIELD_VAULT_CONFIG: join(repositoryRoot, 'tools/devnet/arbitrum.yaml'), ...env },
  });
  const clientOf = () => createAgentClient({ baseUrl: server.url });
  return { chain, server, clientOf, log: () => readFileSync(logFile, 'utf8') };
}

slowly.each(['alchemy', 'pimlico', 'quicknode'] as const)(
  'default: behind %s agents go through the whole flow, with and without ether',
  async (provider) => {
    const { chain, server, clientOf } = await startBehind(provider);
    try {
      const query = { chain: chain.key, asset: 'USDC', riskTolerance: 'low' } as const;
      // The history is read at the pace that the provider allows.
      while ((await clientOf().discover(query)).count === 0) await sleep(1_000);
      const steps = await runDemoFlow(clientOf, chain, () => undefined);
      expect(steps.at(-1)?.title).toBe('No ether was used');
    } finally {
      await server.stop();
    }
  },
);

slowly(
  'behavior: a public node gives no history and no simulation, which the service says; the rest is served',
  async () => {
    await expect(startBehind('public')).rejects.toThrow(
      /No RPC endpoint of arbitrum simulates correctly .* Set preflight.mode to off/,
    );
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    proxies = [];
    const { server, clientOf, log } = await startBehind('public', { PREFLIGHT_MODE: 'off' });
    try {
      while (!log().includes('no node has older state: history begins here')) await sleep(1_000);
      const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
      expect(await clientOf().status(address)).toMatchObject({ positions: [] });
    } finally {
      await server.stop();
    }
  },
);
