import { chainFacts } from '@yield-vault/contracts';
import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { createTemporaryPostgres } from '@yield-vault/database/testing';
import { facilitatorKey } from '@yield-vault/devnet';
import {
  gaslessSetupPath,
  type ExecuteResponse,
  type PrepareExecutionResponse,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { startTcpProxy, type TcpProxy } from '@yield-vault/testing';
import { createPublicClient, erc20Abi, http, parseTransaction, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createApiClient, jsonPost, type ApiClient } from '../test/support/api-client.js';
import { describeWithPostgres } from '../test/support/describe-with-postgres.js';
import { devnetChains, sharedServer } from '../test/support/devnet.js';
import { fundedAgent, prepareSetup, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { createGaslessWallet, signGasless, signGaslessIntent } from '../test/support/gasless-wallet.js';
import { payingFetch } from '../test/support/paying-fetch.js';
import { startProxies, type Proxies } from '../test/support/start-proxies.js';
import { startServer, type Server } from '../test/support/start-server.js';

const price = 10_000n;
const discover = '/v1/yield/discover';
const query = { chain: 'base', asset: 'USDC' };

describeWithPostgres('two servers that share a database and the key of the facilitator', () => {
  const { base } = devnetChains();
  const payTo = privateKeyToAccount(generatePrivateKey()).address;
  const chain = createPublicClient({ transport: http(base.rpcUrl), cacheTime: 0 });
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let tcp: TcpProxy;
  let database: DatabaseHandle;
  let proxies: Proxies;
  let servers: Server[] = [];
  let apis: [ApiClient, ApiClient];
  /** A third server, which prepares for nothing. */
  let free: ApiClient;
  let vaultId: string;

  beforeAll(async () => {
    postgres = await createTemporaryPostgres();
    tcp = await startTcpProxy(postgres.url);
    const proxied = new URL(postgres.url);
    proxied.port = String(tcp.port);
    proxies = await startProxies();
    const env = {
      DATABASE_URL: proxied.href,
      PAYMENTS: 'on',
      PAYMENTS_PAY_TO: payTo,
      PUBLIC_URL: 'https://api.example',
      FACILITATOR_PRIVATE_KEY: facilitatorKey,
    };
    const start = () => startServer({ backfillHours: 30, upstreams: proxies.upstreams, env });
    // At once, on an empty database: both migrate it.
    servers = await Promise.all([start(), start()]);
    apis = [await createApiClient(servers[0]!.url), await createApiClient(servers[1]!.url)];
    database = await openDatabase({ url: postgres.url });
    free = await createApiClient(sharedServer('default'));
    ({ vaultId } = await usdcVault(free));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database?.close();
    await Promise.all([proxies?.stop(), tcp?.stop()]);
    await postgres?.drop();
  });

  const earned = () =>
    chain.readContract({
      address: chainFacts(8453).usdc.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [payTo],
    });
  /** Sign payments for one query, without sending them. */
  async function signPayments(count: number): Promise<readonly string[]> {
    const { privateKey } = await fundedAgent();
    const signed: string[] = [];
    const paying = payingFetch(privateKey, (header) => {
      signed.push(header);
      return new Response();
    });
    while (signed.length < count) await paying(servers[0]!.url + discover, jsonPost(query));
    return signed;
  }
  const pay = (server: Server, payment: string, body: object = query) =>
    fetch(server.url + discover, jsonPost(body, { 'PAYMENT-SIGNATURE': payment }));

  it('behavior: both list the same vaults, and a setup and an intent sent to both reach the chain once', async () => {
    const [listed, alike] = await Promise.all(apis.map((api) => api.vaults({ listed: 'true' })));
    expect(listed!.count).toBeGreaterThan(0);
    expect(alike!.vaults.map((vault) => vault.vaultId)).toEqual(listed!.vaults.map((vault) => vault.vaultId));

    const agent = await fundedAgent();
    const { setup, setupTicket } = await prepareSetup(free, agent, vaultId);
    const request = { setupTicket, signedRawTx: await agent.signSetup(setup), confirmations: 1 };
    const [first, second] = await Promise.all(apis.map((api) => api.setupRelay(request)));
    expect(first).toMatchObject({ setupRequired: 'none', relayMode: 'chain' });
    expect(second).toEqual(first);
    expect(proxies.rpc.callsOf('eth_sendRawTransaction')).toHaveLength(1);

    const intent = await signedDeposit(free, agent, vaultId);
    const responses = await Promise.all([...apis, ...apis, ...apis].map((api) => api.execute(intent)));
    const results = responses.map(({ result }) => result);
    expect(results.sort()).toEqual([...Array<string>(5).fill('already_executed'), 'executed']);
    const same: ExecuteResponse = { ...responses[0]!, result: 'executed' };
    for (const response of responses) expect({ ...response, result: 'executed' }).toEqual(same);
    expect(proxies.bundler.callsOf('eth_sendUserOperation')).toHaveLength(1);
    expect((await apis[1].status(agent.address)).positions).toMatchObject([{ vaultId }]);
  });

  it('behavior: the official client pays for a deposit without ether, and once its wallet is set up', async () => {
    const agent = await createGaslessWallet(base, vaultId);
    const paying = payingFetch(agent.wallet.privateKey as Hex);
    const post = async <Body>(path: string, body: object) =>
      (await (await paying(servers[0]!.url + path, jsonPost(body))).json()) as Body;
    const before = await earned();
    const prepared = await post<PrepareSetupResponse>('/v1/yield/prepare', agent.deposit);
    const request = await signGasless(agent, prepared.gaslessSetup!);
    const completed = await post<PrepareExecutionResponse>(gaslessSetupPath, request);
    const intent = await signGaslessIntent(agent, completed);
    expect(await apis[1].execute(intent)).toMatchObject({ result: 'executed' });
    expect(await chain.getCode({ address: agent.deposit.agentAddress })).toMatch(/^0xef0100/);
    expect(await post(discover, query)).toMatchObject({ chain: 'base' });
    expect(await earned()).toBe(before + 3n * price);
    expect(await agent.provider.getBalance(agent.wallet.address)).toBe(0n);
  });

  it('behavior: payments sent to both at once are each charged once, with a nonce of their own', async () => {
    const payments = (await Promise.all([3, 3].map(signPayments))).flat();
    const before = { earned: await earned(), sent: proxies.rpc.callsOf('eth_sendRawTransaction').length };
    // Each one twice, to either server.
    const twice = [...payments.map((payment) => [payment, 0]), ...payments.map((payment) => [payment, 1])];
    const responses = await Promise.all(
      (twice as [string, number][]).map(([payment, index]) => pay(servers[index]!, payment)),
    );
    // The second request with a payment waits for the first, or has to be sent again.
    expect(responses.filter(({ status }) => ![200, 503].includes(status))).toEqual([]);
    const sold = await Promise.all(payments.map((payment) => pay(servers[1]!, payment)));
    expect(sold.map(({ status }) => status)).toEqual(payments.map(() => 200));
    const sent = proxies.rpc.callsOf('eth_sendRawTransaction').slice(before.sent);
    const nonces = sent.map(({ params }) => parseTransaction(params[0] as Hex).nonce ?? 0);
    expect([sent.length, new Set(nonces).size]).toEqual([payments.length, payments.length]);
    expect(await earned()).toBe(before.earned + price * BigInt(payments.length));
    expect((await pay(servers[1]!, payments[0]!, { ...query, limit: 3 })).status).toBe(402);
  });

  it('behavior: one is killed while it settles; the other one settles, and finds the transfer', async () => {
    const [payment, next] = await signPayments(2);
    const before = await earned();
    const [killed, alive] = servers as [Server, Server];
    const held = proxies.rpc.holdResponseOf('eth_sendRawTransaction');
    const outcome = pay(killed, payment!).then(
      () => 'answered',
      () => 'lost',
    );
    await held;
    await killed.end('SIGKILL');
    expect(await outcome).toBe('lost');
    // The lock of the dead server is free.
    expect((await pay(alive, next!)).status).toBe(200);
    const early = await pay(alive, payment!);
    expect([early.status, Number(early.headers.get('retry-after'))]).toEqual([503, 2]);
    // A minute later.
    await database.db
      .updateTable('payment')
      .set({ lease_until: new Date(0) })
      .where('state', '=', 'settling')
      .execute();
    expect((await pay(alive, payment!)).status).toBe(200);
    expect(await earned()).toBe(before + 2n * price);
  });

  it('behavior: while the database is away responses from memory go on, the rest is 503, then recovers', async () => {
    const [, api] = apis;
    const history = `/v1/yield/history?vaultId=${vaultId}&period=24h`;
    tcp.cut();
    const { status, body, headers } = await api.refused('GET', history);
    expect([status, body.code, body.retryable]).toEqual([503, 'UPSTREAM_UNAVAILABLE', true]);
    expect(body.details).toMatchObject({ dependency: 'database' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.vaults({ listed: 'true' })).count).toBeGreaterThan(0);
    tcp.restore();
    expect((await api.call('GET', history)).status).toBe(200);
  });
});
