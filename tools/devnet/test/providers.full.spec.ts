import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentClient } from '@yield-vault/agent-client';
import { freePort } from '@yield-vault/forks/anvil';
import { startProviderProxy, type ProviderName, type RpcProxy } from '@yield-vault/testing';
import { runDemoFlow } from '../src/demo/flow.js';
import { repositoryRoot } from '../src/deployment/start-app.js';
import { startDevnet, startServer, type Devnet } from '../src/index.js';

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'yield-vault-providers-'));
let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ chains: ['arbitrum'] });
});
afterAll(async () => {
  await devnet?.stop();
  rmSync(folder, { recursive: true });
});

/** Start the service behind a provider of the node and the bundler. */
async function startBehind(provider: ProviderName, env: Record<string, string> = {}) {
  const chain = devnet.chains[0]!;
  const [node, bundler] = (await Promise.all(
    [chain.rpcUrl, chain.bundlerUrl].map((url) => startProviderProxy(provider, url)),
  )) as [RpcProxy, RpcProxy];
  const logFile = join(folder, `${provider}.log`);
  const stopProxies = () => Promise.all([node.stop(), bundler.stop()]);
  const server = await startServer({
    chains: [{ ...chain, rpcUrl: node.url, bundlerUrl: bundler.url }],
    host: '127.0.0.1',
    port: await freePort(),
    dataDirectory: join(folder, provider),
    logFile,
    env: { YIELD_VAULT_CONFIG: join(repositoryRoot, 'tools/devnet/arbitrum.yaml'), ...env },
  }).catch(async (error: unknown) => {
    await stopProxies();
    throw error;
  });
  return {
    chain,
    node,
    bundler,
    server,
    log: () => readFileSync(logFile, 'utf8'),
    stop: async () => {
      await server.stop();
      await stopProxies();
    },
  };
}

it.each(['alchemy', 'pimlico', 'quicknode'] as const)(
  'default: behind %s agents go through the whole flow',
  async (provider) => {
    const t0 = Date.now();
    const service = await startBehind(provider);
    console.log(provider, 'ready', Date.now() - t0, service.node.requests, service.bundler.requests);
    try {
      const { url } = service.server;
      const steps = await runDemoFlow(
        () => createAgentClient({ baseUrl: url }),
        service.chain,
        (step) => console.log(step.title, step.milliseconds),
      );
      expect(steps.at(-1)?.title).toBe('No ether was used');
    } finally {
      console.log(service.log().split('\n').filter((l) => /"level":(40|50)|"level":"(warn|error)/.test(l)).slice(0, 30).join('\n'));
      await service.stop();
    }
  },
);
