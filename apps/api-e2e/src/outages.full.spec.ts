import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecuteResponse } from '@yield-vault/protocol';
import type { RpcProxy } from '@yield-vault/testing';
import { createApiClient, type Answer, type ApiClient, type ErrorBody } from '../test/support/api-client.js';
import {
  fundedAgent,
  prepareDeposit,
  setUp,
  signedDeposit,
  usdcVault,
  type FundedAgent,
} from '../test/support/funded-agent.js';
import { untilAccepted as untilAcceptedBy } from '../test/support/retry.js';
import { startProxies, type Proxies } from '../test/support/start-proxies.js';
import { startServer, type Server } from '../test/support/start-server.js';

const transient = [
  'UPSTREAM_UNAVAILABLE',
  'TRANSACTION_PENDING',
  'TRANSACTION_SUBMISSION_FAILED',
  'DATA_STALE',
];

describe('outages and crashes', () => {
  let server: Server;
  let api: ApiClient;
  let proxies: Proxies;
  let rpc: RpcProxy;
  let bundler: RpcProxy;
  let agent: FundedAgent;
  let vaultId: string;

  beforeAll(async () => {
    proxies = await startProxies();
    ({ rpc, bundler } = proxies);
    server = await startServer({
      backfillHours: 48,
      relay: { executeWaitSeconds: 5 },
      upstreams: proxies.upstreams,
    });
    api = await createApiClient(server.url);
    agent = await fundedAgent();
    ({ vaultId } = await usdcVault(api));
    await setUp(api, agent, vaultId);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await proxies?.stop();
  });
  afterEach(() => {
    rpc.setFault(undefined);
    bundler.setFault(undefined);
  });

  const depositBody = () => ({
    chain: 'base',
    agentAddress: agent.address,
    vaultId,
    asset: 'USDC',
    amount: '1',
  });
  const expectUnavailable = ({ status, headers, body }: Answer<ErrorBody>, dependency: string) => {
    expect([status, body.code, body.retryable]).toEqual([503, 'UPSTREAM_UNAVAILABLE', true]);
    expect(body.details).toMatchObject({ dependency });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  };
  const untilAccepted = (path: string, body: object) => untilAcceptedBy(api, path, body, ...transient);
  const heldDeposits = async () => {
    const position = (await api.status(agent.address)).positions.find((each) => each.vaultId === vaultId);
    return Number(position?.depositedAmount ?? 0);
  };
  const restarted = async () => {
    server = await server.restart();
    api = await createApiClient(server.url);
  };

  it('behavior: without the bundler prepare is 503, and a send that was cut is pending until the chain decides', async () => {
    const request = await signedDeposit(api, agent, vaultId, '4');
    const path = `/v1/yield/intents/${request.intentEnvelope.merkleRoot}`;
    bundler.setFault('cut');
    expectUnavailable(await api.refused('POST', '/v1/yield/prepare', depositBody()), 'bundler:base');
    for (const fault of ['cut', undefined] as const) {
      bundler.setFault(fault);
      const { status, body, headers } = await api.refused('POST', '/v1/yield/execute', request);
      expect([status, body.code, body.retryable]).toEqual([503, 'TRANSACTION_PENDING', true]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(1);
    const open = await api.call('GET', path);
    expect(open).toMatchObject({ status: 200, body: { state: 'submitted', result: null, failure: null } });
    expect(open.headers.get('retry-after')).toBe('1');

    // Another deposit uses the same nonce, once calls to the bundler are no longer paused.
    await untilAccepted('/v1/yield/prepare', depositBody());
    const next = await signedDeposit(api, agent, vaultId, '1');
    expect(await untilAccepted('/v1/yield/execute', next)).toMatchObject({ result: 'executed' });
    const { status, body } = await api.refused('POST', '/v1/yield/execute', request);
    expect([status, body.code, body.details['aaCode']]).toEqual([
      400,
      'TRANSACTION_SUBMISSION_FAILED',
      'AA25',
    ]);
    const closed = await api.call('GET', path);
    expect(closed).toMatchObject({ body: { state: 'failed', failure: { details: { aaCode: 'AA25' } } } });
    expect(closed.headers.get('retry-after')).toBeNull();
    expect(await api.call('GET', `/v1/yield/intents?wallet=${agent.address}`)).toMatchObject({
      body: {
        wallet: agent.address,
        count: 2,
        intents: [{ intentId: next.intentEnvelope.merkleRoot, state: 'confirmed' }, { state: 'failed' }],
      },
    });
    expect(await heldDeposits()).toBe(1);
  });

  it('behavior: without the RPC reads are 503, never wrong numbers; the rest goes on', async () => {
    rpc.setFault('cut');
    expectUnavailable(await api.refused('GET', `/v1/yield/status?userAddress=${agent.address}`), 'rpc:base');
    expectUnavailable(await api.refused('POST', '/v1/yield/prepare', depositBody()), 'rpc:base');
    expect((await api.discover({ chain: 'base' })).count).toBeGreaterThan(0);
    const onEthereum = await usdcVault(api, 'ethereum');
    expect(await prepareDeposit(api, agent, onEthereum.vaultId, '1', 'ethereum')).toMatchObject({
      needsSetup: true,
    });

    const asked = Date.now();
    expect((await api.call('GET', '/health')).status).toBe(200);
    expect(Date.now() - asked).toBeLessThan(1_000);

    rpc.setFault(undefined);
    expect(await untilAccepted('/v1/yield/prepare', depositBody())).toMatchObject({ needsSetup: false });
    expect(await heldDeposits()).toBe(1);
  });

  it('behavior: a server that is stopped finishes open requests, or leaves them to the next process', async () => {
    const before = await heldDeposits();
    const request = await signedDeposit(api, agent, vaultId, '2');
    const sent = bundler.callsOf('eth_sendUserOperation').length;
    const inFlight = api.call('POST', '/v1/yield/execute', request);
    while (bundler.callsOf('eth_sendUserOperation').length === sent) await sleep(5);
    const [response, code] = await Promise.all([inFlight, server.end('SIGTERM')]);
    expect([200, 503]).toContain(response.status);
    expect([0, 143, 'SIGTERM']).toContain(code);

    await restarted();
    const again = (await untilAccepted('/v1/yield/execute', request)) as ExecuteResponse;
    if (response.status === 200)
      expect(again).toEqual({ ...(response.body as ExecuteResponse), result: 'already_executed' });
    expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(sent + 1);
    expect(await heldDeposits()).toBe(before + 2);
  }, 60_000);
});
