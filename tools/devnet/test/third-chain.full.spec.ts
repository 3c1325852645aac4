import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentClient } from '@yield-vault/agent-client';
import { freePort } from '@yield-vault/forks/anvil';
import { runDemoFlow } from '../src/demo/flow.js';
import { repositoryRoot } from '../src/deployment/start-app.js';
import { startDevnet, startServer, type AppProcess, type Devnet } from '../src/index.js';

jest.setTimeout(180_000);

// Nothing in the code names this chain: its facts, its local vaults and its deployment file are data.
describe('a chain that is described by files alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'yield-vault-arbitrum-'));
  let devnet: Devnet;
  let server: AppProcess;
  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['arbitrum'] });
    server = await startServer({
      chains: devnet.chains,
      ...{
        host: '127.0.0.1',
        port: await freePort(),
        dataDirectory: join(folder, 'data'),
        logFile: join(folder, 'api.log'),
      },
      env: { YIELD_VAULT_CONFIG: join(repositoryRoot, 'tools/devnet/arbitrum.yaml') },
    });
  });
  afterAll(async () => {
    await server?.stop();
    await devnet?.stop();
    rmSync(folder, { recursive: true });
  });

  it('default: agents go through the whole flow', async () => {
    const chain = devnet.chains[0]!;
    expect(chain).toMatchObject({ key: 'arbitrum', chainId: 42_161 });
    const clientOf = () => createAgentClient({ baseUrl: server.url });
    const steps = await runDemoFlow(clientOf, chain, () => undefined);
    expect(steps.map(({ title }) => title)).toEqual([
      'Fund',
      'Discover',
      'Set up with ether and deposit',
      'Execute it again',
      'Status',
      'History',
      'Redeem 50 %',
      'Redeem 100 %',
      'Nothing is left',
      'Fund without ether',
      'Set up and deposit without ether',
      'Redeem all',
      'No ether was used',
    ]);
  });
});
