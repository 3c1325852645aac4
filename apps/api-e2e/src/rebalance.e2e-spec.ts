import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import {
  fundedAgent,
  setUp,
  signedDeposit,
  signPrepared,
  type FundedAgent,
} from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';

describe('rebalance', () => {
  let server: Server;
  let api: ApiClient;
  let agent: FundedAgent;
  let ranked: readonly { readonly vaultId: string; readonly vaultAddress: string }[];

  beforeAll(async () => {
    server = await startServer({ backfillHours: 48 });
    api = await createApiClient(server.url);
    agent = await fundedAgent();
    ranked = (await api.discover({ asset: 'USDC', limit: 20 })).vaults;
  }, 60_000);
  afterAll(() => server?.stop());

  const prepare = (vaultId: string) =>
    api.prepare({ operation: 'rebalance', agentAddress: agent.address, vaultId });

  it('behavior: moves the whole position to the best vault of the same asset, in one signature', async () => {
    const [best, source] = [ranked[0]!, ranked.at(-1)!];
    // A wallet without setup also receives the target of the rebalance.
    expect(await prepare(source.vaultId)).toMatchObject({
      needsSetup: true,
      source: { vaultId: source.vaultId },
      target: { vaultId: best.vaultId },
    });
    await setUp(api, agent, source.vaultId);
    await api.execute(await signedDeposit(api, agent, source.vaultId, '20'));

    const response = await api.execute(await signPrepared(agent, await prepare(source.vaultId)));
    expect(response).toMatchObject({
      result: 'executed',
      positionUpdate: { vaultId: best.vaultId },
      sourcePositionUpdate: { vaultId: source.vaultId },
    });
    expect(Number(response.positionUpdate.assetsDelta)).toBeCloseTo(20, 1);
    expect(Number(response.sourcePositionUpdate!.assetsDelta)).toBeCloseTo(-20, 1);
    expect(await agent.shareBalance(source.vaultAddress)).toBe(0n);
    const { positions } = await api.status(agent.address);
    expect(positions.map(({ vaultId }) => vaultId)).toEqual([best.vaultId]);
  });
});
