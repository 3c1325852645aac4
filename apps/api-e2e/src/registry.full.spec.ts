import { createAgentClient, execute, localAddressBook, type Agent } from '@yield-vault/agent-client';
import { fundWallet } from '@yield-vault/devnet';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { readMetric } from '../test/support/read-metric.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

interface Entry {
  readonly address: string;
  readonly profiles?: readonly string[];
}

const amount = '5';
const asset = 'USDC';
const chain = 'base';

describe('vaults that left the offer', () => {
  let folder: string;
  let server: Server;
  let api: ApiClient;
  const source = createServer((_, response) => response.end('{"data":{"vaults":{"items":[]}}}'));

  /** Write a registry without one vault, and another vault outside of the profile. */
  const writeRegistry = async (removed?: string, outside?: string) => {
    const local = join(import.meta.dirname, '../../../config/registry.local.json');
    const { vaults } = JSON.parse(await readFile(local, 'utf8')) as { vaults: Entry[] };
    const kept = vaults
      .filter(({ address }) => address !== removed)
      .map((entry) => (entry.address === outside ? entry : { ...entry, profiles: ['core'] }));
    await writeFile(join(folder, 'registry.json'), JSON.stringify({ vaults: kept }));
  };
  const discover = async () => (await api.discover({ chain, asset, limit: 20 })).vaults;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-'));
    await writeRegistry();
    await once(source.listen(0, '127.0.0.1'), 'listening');
    server = await startServer({
      backfillHours: 30,
      discovery: { profile: 'core', sampleIntervalSeconds: 2 },
      settings: {
        'discovery.registryFile': join(folder, 'registry.json'),
        'discovery.sources': { morphoUrl: `http://127.0.0.1:${(source.address() as AddressInfo).port}` },
      },
    });
    api = await createApiClient(server.url);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    source.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('default: positions in them stay visible, verified and movable; nothing goes in', async () => {
    expect(await readMetric(server.url, 'yield_vault_source_age_seconds', { source: 'morpho' })).toBeLessThan(
      60,
    );
    const signer = privateKeyToAccount(generatePrivateKey());
    const { rpcUrl, ...local } = devnetChains()[chain];
    await fundWallet({ rpcUrl, ...local }, signer.address, { ethWei: 10n ** 16n, usdc: 50_000_000n });
    const agent = {
      client: createAgentClient({ baseUrl: server.url }),
      signer,
      rpc: rpcUrl,
      chain,
      addressBook: localAddressBook,
    } satisfies Agent;
    const ranked = await discover();
    const [removed, outside] = [ranked[0]!, ranked.at(-1)!];
    for (const { vaultAddress: vault } of [removed, outside])
      await execute(agent, { operation: 'deposit', vault, asset, amount });

    await server.end('SIGTERM');
    await writeRegistry(removed.vaultAddress, outside.vaultAddress);
    server = await server.restart();
    api = await createApiClient(server.url);
    const gone = [removed.vaultId, outside.vaultId];
    // The ranking of before the restart stands until the first sample.
    const offered = await until(discover, (vaults) => !vaults.some(({ vaultId }) => gone.includes(vaultId)));
    expect(offered).toHaveLength(ranked.length - 2);

    const { positions } = await api.status(signer.address);
    expect(positions.map(({ vaultId }) => vaultId).sort()).toEqual([...gone].sort());
    for (const vaultId of gone) {
      // No other gate excludes it, so it is still sampled and simulated.
      expect((await api.explain(vaultId)).exclusions).toEqual(['flag:not-offered']);
      expect((await api.history({ vaultId, period: '24h' })).data.length).toBeGreaterThan(0);
      const deposit = { chain, agentAddress: signer.address, vaultId, asset, amount };
      const { body } = await api.refused('POST', '/v1/yield/prepare', deposit);
      expect([body.code, body.details['vaultId']]).toEqual(['NO_SUITABLE_VAULTS', vaultId]);
    }

    // agent-client signs only what its verifier accepts.
    await execute(agent, { operation: 'redeem', vault: removed.vaultAddress, asset, percentage: 100 });
    const targets = offered.map(({ vaultAddress }) => vaultAddress);
    await execute(agent, { operation: 'rebalance', vault: outside.vaultAddress, asset, targets });
    const after = await api.status(signer.address);
    expect(after.positions.map(({ vaultAddress }) => targets.includes(vaultAddress))).toEqual([true]);
  }, 180_000);
});
