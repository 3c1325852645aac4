import type { PrepareSetupResponse } from '@yield-vault/protocol';
import { createPublicClient, http, type Address, type Hex, type SignedAuthorizationList } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { fundedAgent, prepareSetup, usdcVault, type FundedAgent } from '../test/support/funded-agent.js';
import { startRpcProxy, type RpcProxy } from '../test/support/start-rpc-proxy.js';
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
  readonly value?: bigint;
  readonly signer?: Hex;
  readonly type?: 'legacy' | 'eip2930' | 'eip1559';
  readonly authorization?: { chainId?: number; contractAddress?: Address; nonce?: number };
  readonly authorizationSigner?: Hex;
  readonly authorizations?: (one: SignedAuthorizationList[number]) => SignedAuthorizationList;
}

/** Sign the setup of prepare with some changes. */
async function signChanged({ agent, prepared }: Good, changes: Changes): Promise<Hex> {
  const { setup } = prepared;
  const account = privateKeyToAccount(changes.signer ?? agent.privateKey);
  const gasPrice = BigInt(setup.gas.maxFeePerGas);
  const call = {
    chainId: changes.chainId ?? chainId,
    nonce: 0,
    to: changes.to ?? setup.to,
    data: changes.data ?? setup.initCalldata,
    value: changes.value ?? 0n,
    gas: BigInt(setup.gas.gasLimit),
  };
  const fees = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: BigInt(setup.gas.maxPriorityFeePerGas) };
  if (changes.type === 'legacy') return account.signTransaction({ ...call, gasPrice, type: 'legacy' });
  if (changes.type === 'eip2930') return account.signTransaction({ ...call, gasPrice, type: 'eip2930' });
  if (changes.type === 'eip1559') return account.signTransaction({ ...call, ...fees, type: 'eip1559' });
  const authorization = await privateKeyToAccount(
    changes.authorizationSigner ?? agent.privateKey,
  ).signAuthorization({
    chainId,
    contractAddress: setup.authorization!.contractAddress,
    nonce: 1,
    ...changes.authorization,
  });
  const authorizationList = changes.authorizations?.(authorization) ?? [authorization];
  return account.signTransaction({ ...call, ...fees, type: 'eip7702', authorizationList });
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
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const invalidParameters: readonly Case[] = [
  ['an unknown property of the body', (good) => body(good, { extra: 1 })],
  ['an unknown property of the ticket', ticket({ extra: 1 })],
  ['no ticket', (good) => body(good, { setupTicket: undefined })],
  ['a ticket that is text', (good) => body(good, { setupTicket: 'ticket' })],
  ['a ticket of another version', ticket({ version: 2 })],
  ['a ticket version that is text', ticket({ version: '1' })],
  ['a short wallet address', ticket({ walletAddress: '0x1234' })],
  ['a ticket with chain id 0', ticket({ chainId: 0 })],
  ['a hash of 33 bytes', ticket({ initCalldataHash: `0x${'12'.repeat(33)}` })],
  ['an unknown setup type', ticket({ setupType: 'partial' })],
  ['a time without zone', ticket({ expiresAt: '2026-11-21T00:00:00' })],
  ['a time with an offset', ticket({ expiresAt: '2026-11-21T00:00:00+00:00' })],
  ['no transaction', (good) => body(good, { signedRawTx: undefined })],
  ['a transaction that is not hex', (good) => body(good, { signedRawTx: 'transaction' })],
  ['no confirmation', (good) => body(good, { confirmations: 0 })],
  ['too many confirmations', (good) => body(good, { confirmations: 11 })],
  ['confirmations that are no integer', (good) => body(good, { confirmations: 1.5 })],
  ['confirmations that are text', (good) => body(good, { confirmations: '2' })],
];

const refusedTickets: Readonly<Record<string, readonly Case[]>> = {
  'ticket-not-expired': [
    ['expired', ticket({ expiresAt: '2026-01-01T00:00:00.000Z' })],
    ['living longer than any', (good) => ticket({ expiresAt: inMinutes(60) })(good)],
  ],
  'chain-active': [['for an inactive chain', ticket({ chainId: 10 })]],
  'implementation-match': [['for another implementation', ticket({ implementation: stranger })]],
  'calldata-hash-match': [['for other call data', ticket({ initCalldataHash: otherHash })]],
};

const refusedTransactions: Readonly<Record<string, readonly Case[]>> = {
  'tx-type-valid': [
    ['of type 0', transaction({ type: 'legacy' })],
    ['of type 1', transaction({ type: 'eip2930' })],
    ['of type 2 for a full setup', transaction({ type: 'eip1559' })],
    ['that cannot be decoded', (good) => body(good, { signedRawTx: '0x04c0ffee' })],
    ['that is empty', (good) => body(good, { signedRawTx: '0x' })],
  ],
  'chain-id-match': [
    ['for another chain', transaction({ chainId: 1 })],
    ['under the ticket of another chain', ticket({ chainId: 1 })],
  ],
  'self-call': [
    ['to somebody else', transaction({ to: stranger })],
    ['with ETH', transaction({ value: 1n })],
    ['under the ticket of another wallet', ticket({ walletAddress: stranger })],
  ],
  'calldata-hash-match': [
    ['with other call data', transaction({ data: '0x12345678' })],
    ['without call data', transaction({ data: '0x' })],
  ],
  'auth-list-valid': [
    ['with an authorization for every chain', transaction({ authorization: { chainId: 0 } })],
    ['with an authorization for another chain', transaction({ authorization: { chainId: 1 } })],
    [
      'that delegates to another implementation',
      transaction({ authorization: { contractAddress: stranger } }),
    ],
    ['with the nonce of another time', transaction({ authorization: { nonce: 7 } })],
    ['with the authorization of somebody else', transaction({ authorizationSigner: strangerKey })],
    ['without an authorization', transaction({ authorizations: () => [] })],
    ['with two authorizations', transaction({ authorizations: (one) => [one, one] })],
  ],
  'signer-match': [['signed by somebody else', transaction({ signer: strangerKey })]],
};

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
    const answer = await api.refused('POST', '/v1/yield/setup-relay', await make(good));
    expect(answer.status).toBe(400);
    expect(rpc.callsOf('eth_sendRawTransaction')).toEqual([]);
    return answer.body;
  };

  it.each(invalidParameters)('error: INVALID_PARAMETERS for %s', async (_, make) => {
    expect(await refused(make)).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { violations: [expect.objectContaining({ field: expect.any(String) })] },
    });
  });

  for (const [failedCheck, cases] of Object.entries(refusedTickets)) {
    it.each(cases)(`error: SETUP_TICKET_REJECTED, ${failedCheck}, for a ticket %s`, async (_, make) => {
      expect(await refused(make)).toMatchObject({
        code: 'SETUP_TICKET_REJECTED',
        error: 'Setup ticket rejected',
        details: { failedCheck },
      });
    });
  }

  for (const [failedCheck, cases] of Object.entries(refusedTransactions)) {
    it.each(cases)(
      `error: SETUP_TRANSACTION_REJECTED, ${failedCheck}, for a transaction %s`,
      async (_, make) => {
        expect(await refused(make)).toMatchObject({
          code: 'SETUP_TRANSACTION_REJECTED',
          error: 'Setup transaction rejected',
          details: { failedCheck },
        });
      },
    );
  }

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

  it('behavior: none of that touched the chain, and the setup they were made from still goes through', async () => {
    const client = createPublicClient({ transport: http(devnetChains().base.rpcUrl) });
    const wallet = good.agent.address;
    expect(await client.getTransactionCount({ address: wallet })).toBe(0);
    expect(await client.getCode({ address: wallet })).toBeUndefined();

    const answers = await Promise.all(
      [body(good), body(good), body(good)].map((each) => api.setupRelay(each)),
    );
    expect(answers[0]).toMatchObject({ setupRequired: 'none', relayMode: 'chain' });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(rpc.callsOf('eth_sendRawTransaction')).toHaveLength(1);
    expect(await client.getTransactionCount({ address: wallet })).toBe(2);
  });
});
