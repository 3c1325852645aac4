import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { canonical } from '@yield-vault/contracts';
import { openDatabase } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from '@yield-vault/database/testing';
import { facilitatorKey } from '@yield-vault/devnet';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createPublicClient, erc20Abi, http, parseTransaction, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { devnetChains } from '../test/support/devnet.js';
import { fundedAgent } from '../test/support/funded-agent.js';
import { readMetric } from '../test/support/read-metric.js';
import { startServer, type Server } from '../test/support/start-server.js';

const price = 10_000n;
const query = JSON.stringify({ chain: 'base', asset: 'USDC' });
const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: query };

if (!isPostgresReachable()) {
  it('needs PostgreSQL, which does not run here', () => {
    process.stderr.write(`PostgreSQL is not reachable at ${testPostgresUrl}: replicas are not tested.\n`);
    expect(isPostgresReachable()).toBe(false);
  });
} else {
  describe('two servers that share the key of the facilitator', () => {
    const payTo = privateKeyToAccount(generatePrivateKey()).address;
    let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
    let database: DatabaseHandle;
    let rpc: RpcProxy;
    let servers: Server[] = [];

    beforeAll(async () => {
      const { base } = devnetChains();
      postgres = await createTemporaryPostgres();
      rpc = await startRpcProxy(base.rpcUrl);
      const start = () =>
        startServer({
          backfillHours: 30,
          upstreams: { base: { rpcUrl: rpc.url, bundlerUrl: base.bundlerUrl } },
          env: {
            DATABASE_URL: postgres.url,
            PAYMENTS: 'on',
            PAYMENTS_PAY_TO: payTo,
            PUBLIC_URL: 'https://api.example',
            FACILITATOR_PRIVATE_KEY: facilitatorKey,
          },
        });
      servers = await Promise.all([start(), start()]);
      database = await openDatabase({ url: postgres.url });
    }, 120_000);
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database?.close();
      await rpc?.stop();
      await postgres?.drop();
    });

    const earned = () =>
      createPublicClient({ transport: http(devnetChains().base.rpcUrl), cacheTime: 0 }).readContract({
        address: canonical.usdc[8453],
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [payTo],
      });
    const discover = (server: Server) => `${server.url}/v1/yield/discover`;

    /** Sign payments for one query, without sending them. */
    async function signPayments(count: number): Promise<readonly string[]> {
      const { privateKey } = await fundedAgent();
      const signed: string[] = [];
      const unsent: typeof fetch = (input, options) => {
        const request = new Request(input, options);
        const header = request.headers.get('PAYMENT-SIGNATURE');
        if (header === null) return fetch(request);
        signed.push(header);
        return Promise.resolve(new Response());
      };
      const client = new x402Client().register(
        'eip155:8453',
        new ExactEvmScheme(privateKeyToAccount(privateKey)),
      );
      const paying = wrapFetchWithPayment(unsent, client);
      for (let index = 0; index < count; index++) await paying(discover(servers[0]!), init);
      return signed;
    }
    const send = (server: Server, payment: string) =>
      fetch(discover(server), { ...init, headers: { ...init.headers, 'PAYMENT-SIGNATURE': payment } });

    it('behavior: payments sent to both at once are each charged once, with a nonce of their own', async () => {
      const payments = (await Promise.all([4, 4, 4].map(signPayments))).flat();
      const before = { earned: await earned(), sent: rpc.callsOf('eth_sendRawTransaction').length };
      const responses = await Promise.all(
        payments.map((payment, index) => send(servers[index % 2]!, payment)),
      );
      expect(responses.map(({ status }) => status)).toEqual(payments.map(() => 200));
      const sent = rpc.callsOf('eth_sendRawTransaction').slice(before.sent);
      const nonces = sent.map(({ params }) => parseTransaction(params[0] as Hex).nonce ?? 0);
      expect(new Set(nonces).size).toBe(payments.length);
      expect(await earned()).toBe(before.earned + price * 12n);
      // Either server returns the response that the other one sold.
      const again = await send(servers[1]!, payments[0]!);
      expect([again.status, await again.text()]).toEqual([200, await responses[0]!.text()]);
      const settled = servers.map(({ url }) =>
        readMetric(url, 'yield_vault_payments_total', { outcome: 'settled' }),
      );
      expect((await Promise.all(settled)).reduce((sum = 0, count = 0) => sum + count)).toBe(12);
    });

    it('behavior: one is killed while it settles; the other one settles, and finds the transfer', async () => {
      const [payment, next] = await signPayments(2);
      const before = await earned();
      const [killed, alive] = servers as [Server, Server];
      const held = rpc.holdResponseOf('eth_sendRawTransaction');
      const outcome = send(killed, payment!).then(
        () => 'answered',
        () => 'lost',
      );
      await held;
      await killed.end('SIGKILL');
      expect(await outcome).toBe('lost');
      // The lock of the dead server is free.
      expect((await send(alive, next!)).status).toBe(200);
      const early = await send(alive, payment!);
      expect([early.status, Number(early.headers.get('retry-after'))]).toEqual([503, 2]);
      // A minute later.
      await database.db
        .updateTable('payment')
        .set({ lease_until: new Date(0) })
        .where('state', '=', 'settling')
        .execute();
      expect(await readMetric(alive.url, 'yield_vault_payments_in_flight', { state: 'lapsed' })).toBe(1);
      expect((await send(alive, payment!)).status).toBe(200);
      expect(await earned()).toBe(before + 2n * price);
    });
  });
}
