import type { PrepareSetupResponse } from '@yield-vault/protocol';
import { createPublicClient, http, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { fundedAgent, prepareSetup, usdcVault, type FundedAgent } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';

const stranger: Address = '0x3000000000000000000000000000000000000003';
const otherHash: Hex = `0x${'12'.repeat(32)}`;
const chainId = 8453;

interface Good {
  readonly agent: FundedAgent;
  readonly prepared: PrepareSetupResponse;
  readonly signedRawTx: string;
}

interface Changes {
  readonly chainId?: number;
  readonly to?: Address;
  readonly data?: Hex;
  readonly signer?: Hex;
  readonly type?: 'eip1559';
  readonly authorization?: { readonly contractAddress: Address };
}

/** Sign the setup of prepare with some changes. */
async function signChanged({ agent, prepared }: Good, changes: Changes): Promise<Hex> {
  const { gas, to, initCalldata, authorization } = prepared.setup;
  const account = privateKeyToAccount(changes.signer ?? agent.privateKey);
  const call = {
    ...{ chainId: changes.chainId ?? chainId, nonce: 0 },
    ...{ to: changes.to ?? to, data: changes.data ?? initCalldata, gas: BigInt(gas.gasLimit) },
    maxFeePerGas: BigInt(gas.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
  };
  if (changes.type === 'eip1559') return account.signTransaction({ ...call, type: 'eip1559' });
  const authorized = await privateKeyToAccount(agent.privateKey).signAuthorization({
    ...{ chainId, contractAddress: authorization!.contractAddress, nonce: 1 },
    ...changes.authorization,
  });
  return account.signTransaction({ ...call, type: 'eip7702', authorizationList: [authorized] });
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
const transaction = (changes: Changes) => async (good: Good) =>
  body(good, { signedRawTx: await signChanged(good, changes) });
const strangerKey: Hex = `0x${'01'.repeat(32)}`;
const longAgo = '2026-01-01T00:00:00.000Z';

// All rules of the form are in apps/api/test/http/setup-relay.spec.ts.
const invalidParameters: readonly Case[] = [
  ['an unknown property of the ticket', ticket({ extra: 1 })],
  ['no ticket', (good) => body(good, { setupTicket: undefined })],
  ['a time without zone', ticket({ expiresAt: '2026-11-21T00:00:00' })],
  ['a transaction that is not hex', (good) => body(good, { signedRawTx: 'transaction' })],
  ['too many confirmations', (good) => body(good, { confirmations: 11 })],
];

// Every check with all its cases is in libs/setup-relay/src/setup-checks.spec.ts; here is one case of each.
const refusedByCheck: readonly (readonly [code: string, failedCheck: string, ...Case])[] = [
  ['SETUP_TICKET_REJECTED', 'ticket-not-expired', 'an expired ticket', ticket({ expiresAt: longAgo })],
  ['SETUP_TICKET_REJECTED', 'chain-active', 'an inactive chain', ticket({ chainId: 10 })],
  ['SETUP_TICKET_REJECTED', 'implementation-match', 'other code', ticket({ implementation: stranger })],
  ['SETUP_TICKET_REJECTED', 'calldata-hash-match', 'a hash', ticket({ initCalldataHash: otherHash })],
  ['SETUP_TRANSACTION_REJECTED', 'tx-type-valid', 'type 2', transaction({ type: 'eip1559' })],
  ['SETUP_TRANSACTION_REJECTED', 'chain-id-match', 'another chain', transaction({ chainId: 1 })],
  ['SETUP_TRANSACTION_REJECTED', 'self-call', 'another target', transaction({ to: stranger })],
  ['SETUP_TRANSACTION_REJECTED', 'calldata-hash-match', 'call data', transaction({ data: '0x12345678' })],
  [
    'SETUP_TRANSACTION_REJECTED',
    'auth-list-valid',
    'an authorization for another implementation',
    transaction({ authorization: { contractAddress: stranger } }),
  ],
  ['SETUP_TRANSACTION_REJECTED', 'signer-match', 'a stranger', transaction({ signer: strangerKey })],
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

  it.each(refusedByCheck)('error: %s, %s, for %s', async (code, failedCheck, _, make) => {
    expect(await refused(make)).toMatchObject({ code, details: { failedCheck } });
  });

  it('error: a ticket whose setup type was changed is refused', async () => {
    const altered = await refused(ticket({ setupType: 'modules' }));
    expect(altered.code).toBe('SETUP_TICKET_REJECTED');
    const asType2 = await refused(async (all) =>
      body(all, {
        setupTicket: { ...all.prepared.setupTicket, setupType: 'modules' },
        signedRawTx: await signChanged(all, { type: 'eip1559' }),
      }),
    );
    expect(asType2.code).toBe('SETUP_TICKET_REJECTED');
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
