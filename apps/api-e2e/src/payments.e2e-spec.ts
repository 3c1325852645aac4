import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { validateDiscoveryExtension, type DiscoveryExtension } from '@x402/extensions/bazaar';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { canonical } from '@yield-vault/contracts';
import { facilitatorKey } from '@yield-vault/devnet';
import { gaslessSetupPath, type DiscoverResponse, type PrepareResponse } from '@yield-vault/protocol';
import { createPublicClient, erc20Abi, http, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Agent } from '../test/support/agent.js';
import { createApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedForkService } from '../test/support/devnet.js';
import { signPrepared } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { createViemAgentOf } from '../test/support/viem-agent.js';

const price = 10_000n;

describe('payments', () => {
  const payTo = privateKeyToAccount(generatePrivateKey()).address;
  const { walletRpcUrl } = forkedChains().base;
  const rpc = createPublicClient({ transport: http(walletRpcUrl), cacheTime: 0 });
  const earned = () =>
    rpc.readContract({
      address: canonical.usdc[8453],
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [payTo],
    });
  let server: Server;

  beforeAll(async () => {
    server = await startServer({
      forkService: sharedForkService(),
      backfillHours: 48,
      env: {
        PAYMENTS: 'on',
        PAYMENTS_PAY_TO: payTo,
        PUBLIC_URL: 'https://api.example',
        FACILITATOR_PRIVATE_KEY: facilitatorKey,
      },
    });
  }, 90_000);
  afterAll(() => server?.stop());

  /** A wallet with money, and what it pays with; `sent` are the payment headers that left it. */
  async function payingAgent(ethWei = '10000000000000000') {
    const privateKey = generatePrivateKey();
    const account = privateKeyToAccount(privateKey);
    const agent: Agent = await createViemAgentOf(privateKey, walletRpcUrl);
    const api = await createApiClient(server.url);
    await api.fundWallet({
      chain: 'base',
      walletAddress: agent.address,
      ethWei,
      usdcAmount: '50000000',
    });
    const sent: string[] = [];
    const watched: typeof fetch = (input, init) => {
      const request = new Request(input, init);
      const header = request.headers.get('PAYMENT-SIGNATURE');
      if (header) sent.push(header);
      return fetch(request);
    };
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(account));
    const paying = wrapFetchWithPayment(watched, client);
    const post = async <Body>(path: string, body: object): Promise<Body> => {
      const response = await paying(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path}: ${String(response.status)} ${text}`);
      return JSON.parse(text) as Body;
    };
    return { account, agent, api, sent, post };
  }
  const send = (path: string, body: object, payment: string) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'PAYMENT-SIGNATURE': payment },
      body: JSON.stringify(body),
    });

  it('default: unpaid calls to priced routes receive 402, free routes do not', async () => {
    const api = await createApiClient(server.url);
    for (const path of ['/v1/yield/discover', '/v1/yield/prepare', gaslessSetupPath]) {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(response.status).toBe(402);
      expect(await response.json()).toMatchObject({
        x402Version: 1,
        accepts: [
          {
            ...{ network: 'base', maxAmountRequired: String(price) },
            outputSchema: { input: { type: 'http', method: 'POST', discoverable: true } },
          },
        ],
      });
      const required = decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED')!);
      expect(validateDiscoveryExtension(required.extensions!['bazaar'] as DiscoveryExtension)).toEqual({
        valid: true,
      });
      expect(required.resource?.url).toMatch(new RegExp(`^http.*${path}$`));
    }
    expect(await api.status(payTo)).toMatchObject({ positionCount: 0 });
  });

  it('behavior: the official client pays, also once its wallet has been set up', async () => {
    const { agent, api, post } = await payingAgent();
    const before = await earned();
    const { vaults } = await post<DiscoverResponse>('/v1/yield/discover', { chain: 'base', asset: 'USDC' });
    const requested = {
      agentAddress: agent.address,
      vaultId: vaults[0]!.vaultId,
      asset: 'USDC',
      amount: '5',
    };
    const first = await post<PrepareResponse>('/v1/yield/prepare', requested);
    if (!first.needsSetup) throw new Error('The wallet is set up already');
    const signedRawTx = await agent.signSetup(first.setup);
    await api.setupRelay({ setupTicket: first.setupTicket, signedRawTx, confirmations: 1 });
    expect(await rpc.getCode({ address: agent.address as Address })).toMatch(/^0xef0100/);

    const second = await post<PrepareResponse>('/v1/yield/prepare', requested);
    expect(await api.execute(await signPrepared(agent, second))).toMatchObject({ result: 'executed' });
    expect(await earned()).toBe(before + 3n * price);
  });

  it('behavior: a gasless setup costs what prepare costs', async () => {
    const { account, agent, api, post } = await payingAgent('0');
    const { vaults } = await post<DiscoverResponse>('/v1/yield/discover', { chain: 'base', asset: 'USDC' });
    const before = await earned();
    const { vaultId } = vaults[0]!;
    const deposit = { chain: 'base', agentAddress: account.address, vaultId, asset: 'USDC', amount: '5' };
    const first = await post<PrepareResponse>('/v1/yield/prepare', deposit);
    if (!first.needsSetup || !first.gaslessSetup?.authorization) throw new Error('No gasless setup');
    expect(await earned()).toBe(before + price);

    const { authorization, permit } = first.gaslessSetup;
    const { yParity, r, s } = await account.signAuthorization(authorization);
    const { contractAddress: address, chainId, nonce } = authorization;
    const { domain, types, primaryType, message } = permit;
    const permitSignature = await account.signTypedData({
      ...{ domain, primaryType, types: { Permit: [...types.Permit] } },
      message: Object.fromEntries(
        Object.entries(message).map(([name, value]) => [name, /^\d+$/.test(value) ? BigInt(value) : value]),
      ),
    });
    const second = await post<PrepareResponse>(gaslessSetupPath, {
      ...{ ...deposit, permitSignature },
      authorization: { chainId, address, nonce, yParity, r, s },
    });
    expect(await earned()).toBe(before + 2n * price);
    expect(await api.execute(await signPrepared(agent, second))).toMatchObject({ result: 'executed' });
    expect(await rpc.getBalance({ address: account.address })).toBe(0n);
    expect(await earned()).toBe(before + 2n * price);
  });

  it('behavior: a client that knows version 1 alone pays with X-PAYMENT', async () => {
    const { account } = await payingAgent();
    const before = await earned();
    const names: string[] = [];
    // Terms are in the body too, and it reads nothing else.
    const old: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      names.push(...[...request.headers.keys()].filter((name) => name.includes('payment')));
      const response = await fetch(request);
      if (response.status !== 402) return response;
      return new Response(response.body, { status: 402, headers: { 'content-type': 'application/json' } });
    };
    const client = new x402Client().registerV1('base', new ExactEvmSchemeV1(account));
    const response = await wrapFetchWithPayment(old, client)(`${server.url}/v1/yield/discover`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chain: 'base', asset: 'USDC' }),
    });
    expect([response.status, names]).toEqual([200, ['x-payment']]);
    const receipt = Buffer.from(response.headers.get('X-PAYMENT-RESPONSE') ?? '', 'base64').toString();
    const { transaction, ...said } = JSON.parse(receipt) as { transaction: Hex };
    expect(said).toEqual({ success: true, network: 'base', payer: account.address });
    expect(await rpc.getTransactionReceipt({ hash: transaction })).toMatchObject({ status: 'success' });
    expect(await earned()).toBe(before + price);
  });

  it('behavior: one payment sent many times at once is charged once, and its response comes again after a restart', async () => {
    const { post, sent } = await payingAgent();
    const query = { chain: 'base', asset: 'USDC', limit: 2 };
    await post('/v1/yield/discover', query);
    const [payment] = sent as [string];
    const before = await earned();
    const again = await Promise.all(
      Array.from({ length: 20 }, () => send('/v1/yield/discover', query, payment)),
    );
    const responses = await Promise.all(again.map((response) => response.text()));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses).size).toBe(1);
    expect((await send('/v1/yield/discover', { ...query, limit: 3 }, payment)).status).toBe(402);

    await server.end('SIGKILL');
    server = await server.restart();
    const later = await send('/v1/yield/discover', query, payment);
    expect([later.status, await later.text()]).toEqual([200, responses[0]]);
    expect(await earned()).toBe(before);
  });

  it('behavior: a request that is refused costs nothing, and its payment can be used for a better one', async () => {
    const { agent, post, sent } = await payingAgent();
    const before = await earned();
    const wrong = { agentAddress: agent.address, vaultId: '1', asset: 'USDC', amount: '5' };
    await expect(post('/v1/yield/prepare', wrong)).rejects.toThrow('UNKNOWN_VAULT');
    expect(await earned()).toBe(before);
    expect((await send('/v1/yield/prepare', wrong, sent[0]!)).status).toBe(400);
    expect((await send('/v1/yield/discover', { chain: 'base' }, sent[0]!)).status).toBe(200);
    expect(await earned()).toBe(before + price);
  });
});
