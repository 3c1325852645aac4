import { createActiveChains } from '@yield-vault/chains';
import { openDatabase } from '@yield-vault/database';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import { localRegistry, provisionLocalChain } from '@yield-vault/testing/local';
import { createTestClient, http, numberToHex } from 'viem';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { parseRegistry } from '../catalogue/parse-registry.js';
import { discoverySchema } from '../discovery-schema.js';
import { rankVaults } from './rank-vaults.js';
import { createVaultDiscovery } from '../vault-discovery.js';

jest.setTimeout(180_000);

const chainId = 8453;
const registry = parseRegistry(localRegistry()).filter(
  ({ chain, asset, name }) => chain === 'base' && asset.symbol === 'USDC' && !/gas/i.test(name),
);

/** Start a chain with one block at every half hour of 32 days. */
async function startLivedChain(args: readonly string[] = []): Promise<Anvil> {
  const genesis = Math.floor(Date.now() / 1_000) - 32 * 86_400;
  const anvil = await startAnvil({ chainId, args: ['--timestamp', String(genesis), ...args] });
  const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  const mine = (t: number) =>
    client.request({ method: 'evm_mine', params: [numberToHex(Math.floor(t))] } as never);
  await provisionLocalChain(client as never, chainId);
  for (let t = genesis + 5_400; t < Date.now() / 1_000 - 5; t += 1_800) await mine(t);
  await mine(Date.now() / 1_000);
  return anvil;
}

describe('rankVaults', () => {
  let anvil: Anvil;

  beforeAll(async () => {
    anvil = await startLivedChain();
  });
  afterAll(() => anvil?.stop());

  it('default: the ranking that discover gives on the same chain', async () => {
    const chains = createActiveChains({ chains: { base: buildChainConfig({ rpcUrls: [anvil.rpcUrl] }) } });
    const database = await openDatabase({ memory: true });
    const options = discoverySchema.parse({ backfillHours: 720, sampleIntervalSeconds: 1 });
    const discovery = createVaultDiscovery({ chains, database, registry, options });
    await discovery.start();
    const query = { chain: 'base', asset: 'USDC', strategy: 'balanced' } as const;
    const expected = discovery.discover({ ...query, limit: 20 });
    await discovery.stop();
    await database.close();

    const ranking = await rankVaults({ ...query, rpcUrl: anvil.rpcUrl, vaults: registry });
    expect(ranking.count).toBeGreaterThan(3);
    expect(ranking.vaults.map(({ vaultId }) => vaultId)).toEqual(
      expected.vaults.map(({ vaultId }) => vaultId),
    );
    expect(ranking).toEqual({ ...expected, excluded: expect.anything() as unknown });
    expect(ranking.excluded.map(({ reasons }) => reasons)).toContainEqual(['capability:paused']);
  });
});

it('error: a node that pruned the state of old blocks', async () => {
  const anvil = await startLivedChain(['--prune-history', '50']);
  const ranking = rankVaults({ rpcUrl: anvil.rpcUrl, chain: 'base', asset: 'USDC', vaults: registry });
  const error: unknown = await ranking.catch((thrown: unknown) => thrown);
  await anvil.stop();
  expect(error).toBeInstanceOf(UpstreamUnavailableError);
  expect(error).toMatchObject({ details: { reason: 'NO_ARCHIVE_STATE' } });
});
