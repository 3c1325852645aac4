import type { PrepareSetupResponse } from '@yield-vault/protocol';
import { createPublicClient, http } from 'viem';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { fundedAgent, prepareSetup, usdcVault, type FundedAgent } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';

interface Good {
  readonly agent: FundedAgent;
  readonly prepared: PrepareSetupResponse;
  readonly signedRawTx: string;
}

type Case = readonly [name: string, make: (good: Good) => object | Promise<object>];

const body = ({ prepared, signedRawTx }: Good, change: object = {}) => ({
  setupTicket: prepared.setupTicket,
  signedRawTx,
  confirmations: 1,
  ...change,
});
const ticket = (change: object) => (good: Good) =>
  body(good, { setupTicket: { ...good.prepared.setupTicket, ...change } });
// All rules of the form are in apps/api/test/http/setup-relay.spec.ts.
const invalidParameters: readonly Case[] = [
  ['an unknown property of the ticket', ticket({ extra: 1 })],
  ['no ticket', (good) => body(good, { setupTicket: undefined })],
  ['a time without zone', ticket({ expiresAt: '2026-11-21T00:00:00' })],
  ['a transaction that is not hex', (good) => body(good, { signedRawTx: 'transaction' })],
  ['too many confirmations', (good) => body(good, { confirmations: 11 })],
];

describe('POST /v1/yield/setup-relay', () => {
  let server: Server;
  let api: ApiClient;
  let rpc: RpcProxy;
  let good: Good;

  beforeAll(async () => {
    const { base } = devnetChains();
    rpc = await startRpcProxy(base.rpcUrl);
    server = await startServer({
      backfillHours: 48,
      upstreams: { base: { rpcUrl: rpc.url, bundlerUrl: base.bundlerUrl } },
    });
    api = await createApiClient(server.url);
    const agent = await fundedAgent();
    const { vaultId } = await usdcVault(api);
    const prepared = await prepareSetup(api, agent, vaultId);
    good = { agent, prepared, signedRawTx: await agent.signSetup(prepared.setup) };
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await rpc?.stop();
  });

  const refused = async (make: Case[1]) => {
    const response = await api.refused('POST', '/v1/yield/setup-relay', await make(good));
    expect(response.status).toBe(400);
    expect(rpc.callsOf('eth_sendRawTransaction')).toEqual([]);
    return response.body;
  };

  it.each(invalidParameters)('error: INVALID_PARAMETERS for %s', async (_, make) => {
    expect(await refused(make)).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { violations: [expect.objectContaining({ field: expect.any(String) })] },
    });
  });

  it('behavior: none of these reached the chain, and the original setup still succeeds', async () => {
    const client = createPublicClient({ transport: http(devnetChains().base.rpcUrl) });
    const wallet = good.agent.address;
    expect(await client.getTransactionCount({ address: wallet })).toBe(0);
    expect(await client.getCode({ address: wallet })).toBeUndefined();

    const responses = await Promise.all(
      [body(good), body(good), body(good)].map((each) => api.setupRelay(each)),
    );
    expect(responses[0]).toMatchObject({ setupRequired: 'none', relayMode: 'chain' });
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);
    expect(rpc.callsOf('eth_sendRawTransaction')).toHaveLength(1);
    expect(await client.getTransactionCount({ address: wallet })).toBe(2);
  });
});
