import { canonical } from '@yield-vault/contracts';
import { openDatabase } from '@yield-vault/database';
import { createTemporaryPostgres } from '@yield-vault/database/testing';
import type { IntentStatus } from '@yield-vault/protocol';
import { createPublicClient, http, parseAbiItem } from 'viem';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { buildPreviousVersion, hasPreviousVersion } from '../test/support/build-previous-version.js';
import { devnetChains } from '../test/support/devnet.js';
import { describeWithPostgres } from '../test/support/describe-with-postgres.js';
import { fundedAgent, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

const describeWithHistory = hasPreviousVersion() ? describeWithPostgres : describe.skip;

describeWithHistory('an upgrade from the previous version', () => {
  const { base } = devnetChains();
  const chain = createPublicClient({ transport: http(base.rpcUrl), cacheTime: 0 });
  const running: Server[] = [];
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let previous: ReturnType<typeof buildPreviousVersion>;

  beforeAll(async () => {
    previous = buildPreviousVersion();
    postgres = await createTemporaryPostgres();
  }, 300_000);
  afterAll(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await postgres?.drop();
    previous?.remove();
  });

  it('behavior: both versions serve one database with traffic, and no intent is lost or included twice', async () => {
    const start = async (program?: string) => {
      const server = await startServer({ backfillHours: 26, env: { DATABASE_URL: postgres.url }, program });
      running.push(server);
      return { server, api: await createApiClient(server.url) };
    };
    const before = await start(previous.program);
    const { vaultId } = await usdcVault(before.api);
    const deposit = async (
      agent: Awaited<ReturnType<typeof fundedAgent>>,
      from: ApiClient,
      to: readonly ApiClient[],
    ) => {
      const intent = await signedDeposit(from, agent, vaultId, '5');
      const results = await Promise.all(to.map((api) => api.execute(intent)));
      expect(results.map(({ result }) => result).sort()).toEqual(
        to.map((_, index) => (index === to.length - 1 ? 'executed' : 'already_executed')),
      );
      return intent.intentEnvelope.merkleRoot;
    };

    const agents = await Promise.all([fundedAgent(), fundedAgent()]);
    for (const agent of agents) await setUp(before.api, agent, vaultId);
    const intents = [await deposit(agents[0]!, before.api, [before.api])];
    const after = await start();
    for (let round = 0; round < 3; round++)
      intents.push(
        await deposit(agents[0]!, before.api, [after.api]),
        await deposit(agents[1]!, after.api, [before.api]),
        await deposit(agents[1]!, before.api, [before.api, after.api, before.api, after.api]),
      );
    expect(await before.server.end('SIGTERM')).toBe(0);
    intents.push(await deposit(agents[0]!, after.api, [after.api]));

    for (const intentId of intents)
      await until(
        async () => (await after.api.call('GET', `/v1/yield/intents/${intentId}`)).body as IntentStatus,
        ({ state }) => state === 'confirmed',
      );
    const fromBlock = 0n;
    const event = parseAbiItem(
      'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    );
    for (const [index, count] of [5, 6].entries()) {
      const sender = agents[index]!.address;
      const logs = await chain.getLogs({
        address: canonical.entryPointV08,
        event,
        args: { sender },
        fromBlock,
      });
      expect(logs).toHaveLength(count);
      // What was deposited before anybody followed the chain is read once.
      const { positions } = await until(
        () => after.api.status(sender),
        ({ positions: [position] }) => position?.costBasis === 'exact',
      );
      expect(positions).toMatchObject([{ vaultId, depositedAmount: String(count * 5) }]);
    }
    const database = await openDatabase({ url: postgres.url });
    const rows = await database.db.selectFrom('intent').select('intent_id').execute();
    await database.close();
    expect(rows).toHaveLength(intents.length);
  }, 300_000);
});
