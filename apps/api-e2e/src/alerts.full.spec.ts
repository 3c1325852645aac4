import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonical, localContracts, paymasterTermsSlot } from '@yield-vault/contracts';
import { openDatabase, type DatabaseHandle, type DatabaseSession } from '@yield-vault/database';
import { createTemporaryPostgres } from '@yield-vault/database/testing';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import type { Health } from '@yield-vault/protocol';
import { startTcpProxy, type TcpProxy } from '@yield-vault/testing';
import {
  createTestClient,
  encodeAbiParameters,
  http,
  keccak256,
  numberToHex,
  publicActions,
  type Address,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createApiClient, jsonPost } from '../test/support/api-client.js';
import { describeWithPostgres } from '../test/support/describe-with-postgres.js';
import { startProxies, type Proxies } from '../test/support/start-proxies.js';
import { hasPrometheus, startPrometheus } from '../test/support/start-prometheus.js';
import { startServer, startWorker, type RunningProgram, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

// Alerts without a fault here: config/observability/alerts.test.yaml alone shows that they fire.
const describeFaults = hasPrometheus()
  ? describeWithPostgres
  : (name: string) => it.skip(name, () => undefined);
const withoutFault = [
  'IntentsFail',
  'PreflightUnavailable',
  'PaymentsUnknown',
  'SamplingStopped',
  'SourceSilent',
].map((name) => `YieldVault${name}`);

describeFaults('alerts of real processes under real faults', () => {
  const [keeperKey, gasKey] = [generatePrivateKey(), generatePrivateKey()];
  const { paymaster } = localContracts(8453);
  let devnet: Devnet;
  let proxies: Proxies;
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let tcp: TcpProxy;
  let database: DatabaseHandle;
  let sql: DatabaseSession;
  let server: Server;
  let worker: RunningProgram;
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
  let vaultId: string;
  const fired = new Set<string>();

  const chain = () =>
    createTestClient({ mode: 'anvil', transport: http(devnet.chains[0]!.rpcUrl) }).extend(publicActions);
  const setBalance = async (key: Hex, value: bigint) =>
    chain().setBalance({ address: privateKeyToAccount(key).address, value });

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], historyDays: 3 });
    proxies = await startProxies({ base: devnet.chains[0]! });
    postgres = await createTemporaryPostgres();
    tcp = await startTcpProxy(postgres.url);
    const url = new URL(postgres.url);
    url.port = String(tcp.port);
    await setBalance(keeperKey, 10n ** 18n);
    await setBalance(gasKey, 10n ** 18n);
    const options = {
      backfillHours: 30,
      upstreams: proxies.upstreams,
      settings: { 'keeper.privateKey': keeperKey, 'chains.ethereum': undefined },
      env: {
        WORKER: 'external',
        DATABASE_URL: url.href,
        DATABASE_POOL_SIZE: '2',
        MAX_PREPARES: '1',
        PAYMENTS: 'on',
        FREE_CALLS_PER_DAY: '1000000',
        FACILITATOR_PRIVATE_KEY: gasKey,
      },
    };
    worker = await startWorker(options);
    server = await startServer(options);
    database = await openDatabase({ url: postgres.url });
    sql = await database.openSession!();
    const port = /"port":(\d+)/.exec(worker.log())?.[1];
    prometheus = await startPrometheus([new URL(server.url).host, `127.0.0.1:${port}`]);
    const { vaults } = await (await createApiClient(server.url)).discover({ chain: 'base' });
    ({ vaultId } = vaults[0]!);
  }, 300_000);
  afterAll(async () => {
    await prometheus?.stop();
    await Promise.all([server?.stop(), worker?.stop(), database?.close()]);
    await Promise.all([proxies?.stop(), tcp?.stop(), devnet?.stop()]);
    await postgres?.drop();
  });

  const fires = async (...alerts: readonly string[]) => {
    const seen = await until(
      () => prometheus.firing(),
      (firing) => alerts.every((alert) => firing.some((each) => each.startsWith(alert))),
      180,
    );
    for (const alert of seen) fired.add(alert.split(' ')[0]!);
  };
  const ends = (...alerts: readonly string[]) =>
    until(
      () => prometheus.firing(),
      (firing) => !alerts.some((alert) => firing.some((each) => each.startsWith(alert))),
      180,
    );
  const get = (path: string) => fetch(`${server.url}${path}`);
  const untilReasons = (...reasons: readonly string[]) =>
    until(
      async () => (await (await get('/health')).json()) as Health,
      ({ chains }) => reasons.every((reason) => chains['base']!.reasons.includes(reason)),
      120,
    );
  const history = () => get(`/v1/yield/history?vaultId=${vaultId}&period=7d`);
  const prepare = () =>
    fetch(
      `${server.url}/v1/yield/prepare`,
      jsonPost({ chain: 'base', agentAddress: paymaster, vaultId, asset: 'USDC', amount: '1' }),
    );

  it('default: no alert fires while all works', async () => {
    await until(
      () => get('/metrics').then((response) => response.text()),
      (text) => text.includes('yield_vault_chain_ready{chain="base"} 1'),
    );
    await ends('YieldVault');
  }, 200_000);

  it('behavior: a node that is down, while intents are open', async () => {
    proxies.rpc.setFault('cut');
    // As after an execute whose operation stays in the bundler.
    await sql.query(
      `insert into intent (intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation, created_at)
       values ($1, 8453, $2, 'submitted', $1, 0, extract(epoch from now()) - 300, '{}', now() - interval '20 minutes')`,
      [`0x${'ab'.repeat(32)}`, paymaster.toLowerCase()],
    );
    // Only requests that are sent together surely meet the limit.
    const asking = setInterval(
      () => void Promise.allSettled(Array.from({ length: 8 }, () => prepare())),
      200,
    );
    await fires(
      'YieldVaultUpstreamDown rpc:base',
      'YieldVaultChainNotReady base',
      'YieldVaultUpstreamFailing',
      'YieldVaultUpstreamPaused',
      'YieldVaultCapacityReached',
      'YieldVaultJobParked',
      'YieldVaultFundsUnknown',
      'YieldVaultIntentStuck',
      'YieldVaultIntentUndecided',
      'YieldVaultNotReady',
    ).finally(() => clearInterval(asking));
    await sql.query('delete from intent');
    proxies.rpc.setFault(undefined);
    await ends('YieldVaultChainNotReady', 'YieldVaultJobParked', 'YieldVaultFundsUnknown');
  }, 400_000);

  it('behavior: a bundler that is down, without traffic', async () => {
    proxies.bundler.setFault('cut');
    await fires('YieldVaultUpstreamDown bundler:base');
    proxies.bundler.setFault(undefined);
    await ends('YieldVaultUpstreamDown');
  }, 400_000);

  it('behavior: funds that run out, and a price that nobody refreshes', async () => {
    const client = chain();
    await setBalance(keeperKey, 0n);
    await setBalance(gasKey, 0n);
    const terms = BigInt((await client.getStorageAt({ address: paymaster, slot: paymasterTermsSlot }))!);
    const now = BigInt(Math.floor(Date.now() / 1_000));
    const mask = ((1n << 96n) - 1n) << 64n;
    const times = ((now + 20n) << 64n) | ((now - 160n) << 112n);
    const value = numberToHex((terms & ~mask) | times, { size: 32 });
    await client.setStorageAt({ address: paymaster, index: paymasterTermsSlot, value });
    await fires('YieldVaultKeeperLow', 'YieldVaultGasAccountLow', 'YieldVaultPaymasterPriceOld');
    await client.setStorageAt({
      address: paymaster,
      index: paymasterTermsSlot,
      value: numberToHex(terms, { size: 32 }),
    });
    await ends('YieldVaultPaymasterPriceOld');
    await empty(client, paymaster);
    await fires(
      'YieldVaultPaymasterDepositLow',
      'YieldVaultPaymasterLoses',
      'YieldVaultPaymasterStakeMissing',
      'YieldVaultChainNotReady base',
    );
    await untilReasons('deposit:base');
  }, 400_000);

  it('behavior: a database that loses a table, whose tables are locked, and whose payments nobody resolves', async () => {
    // A series has no rate before its second value.
    await history();
    await sleep(3_000);
    await sql.query('alter table vault_snapshot rename to lost');
    await history();
    await sql.query('alter table lost rename to vault_snapshot');
    await sql.query(
      `insert into payment (chain_id, asset, payer, nonce, fingerprint, state, pay_to, amount, valid_before, lease_until)
       select 999, 'asset', 'payer', 'nonce' || i, 'x', 'settling', 'to', 1, extract(epoch from now()) + 86400, now()
       from generate_series(1, 25) as i`,
    );
    await sql.query('begin');
    await sql.query('lock table vault_snapshot in access exclusive mode');
    const waiting = Promise.all(Array.from({ length: 8 }, () => history()));
    await fires('YieldVaultServerErrors', 'YieldVaultPaymentsLapsed', 'YieldVaultDatabasePoolExhausted');
    await sleep(6_000);
    await sql.query('commit');
    await waiting;
    await fires('YieldVaultSlowRequests');
  }, 400_000);

  it('behavior: a worker that is gone, and with it samples and follower', async () => {
    await worker.end('SIGKILL');
    await sql.query(
      "update chain_report set version = version + 1, newest_snapshot = newest_snapshot - interval '3 hours'",
    );
    const asking = setInterval(
      () => void get(`/v1/yield/status?userAddress=${paymaster}`).catch(() => undefined),
      2_000,
    );
    await fires(
      'YieldVaultNoWorker',
      'YieldVaultMetricMissing',
      'YieldVaultRankingOld',
      'YieldVaultChainNotFollowed',
    ).finally(() => clearInterval(asking));
    await untilReasons('follower:base');
  }, 400_000);

  it('behavior: a database that is down, and a server that is gone', async () => {
    tcp.cut();
    await fires('YieldVaultUpstreamDown database');
    await server.end('SIGKILL');
    await fires('YieldVaultNotReady');
  }, 400_000);

  it('behavior: every alert fired, except those that only the tests of the rules show', () => {
    const text = readFileSync(resolve(__dirname, '../../../config/observability/alerts.yaml'), 'utf8');
    const alerts = [...text.matchAll(/alert: (\w+)/g)].map(([, alert = '']) => alert);
    expect(alerts.filter((alert) => !fired.has(alert)).sort()).toEqual([...withoutFault].sort());
  });
});

/** Take deposit and stake of a paymaster away. */
async function empty(client: { setStorageAt: (args: never) => Promise<unknown> }, paymaster: Address) {
  const slot = BigInt(
    keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [paymaster, 0n])),
  );
  for (const index of [slot, slot + 1n])
    await client.setStorageAt({
      address: canonical.entryPointV08,
      index: numberToHex(index, { size: 32 }),
      value: numberToHex(0n, { size: 32 }),
    } as never);
}
