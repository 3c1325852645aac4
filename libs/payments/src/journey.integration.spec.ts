import { setTimeout as pause } from 'node:timers/promises';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { testAccount } from '@yield-vault/testing';
import { buildPayments, price } from '../test/support/build-payments.js';
import { decode, signPayment } from '../test/support/sign-payment.js';
import { startPaidServer } from '../test/support/start-paid-server.js';
import {
  payTo,
  relayer,
  startPaymentChain,
  type StartedPaymentChain,
} from '../test/support/start-payment-chain.js';
import { createEmbeddedFacilitator } from './facilitators/create-embedded-facilitator.js';
import type { Payments } from './payments.js';

jest.setTimeout(60_000);

const payer = testAccount('payer');
const funds = 1_000_000n;

let base: StartedPaymentChain;
let ethereum: StartedPaymentChain;
let payments: Payments;
let server: Awaited<ReturnType<typeof startPaidServer>>;

beforeAll(async () => {
  [base, ethereum] = await Promise.all([startPaymentChain(8453), startPaymentChain(1)]);
  const chains = [base.chain, ethereum.chain];
  payments = buildPayments({
    chains,
    facilitator: createEmbeddedFacilitator({ account: relayer, chains }),
  });
  server = await startPaidServer(payments, async (body) => {
    const { status = 200, slowMs = 0 } = JSON.parse(body) as { status?: number; slowMs?: number };
    await pause(slowMs);
    return { status, json: { echo: body } };
  });
});
afterAll(async () => {
  await server.stop();
  await Promise.all([base.stop(), ethereum.stop()]);
});
beforeEach(async () => {
  await Promise.all([base, ethereum].map((chain) => chain.setUsdc(payer.address, funds)));
  await Promise.all([base, ethereum].map((chain) => chain.setUsdc(payTo, 0n)));
});

const post = (body: unknown = {}, headers: Record<string, string> = {}) =>
  fetch(server.url, { method: 'POST', body: JSON.stringify(body), headers });

function paying(network: `${string}:${string}`) {
  const client = new x402Client().register(network, new ExactEvmScheme(payer));
  return wrapFetchWithPayment(fetch, client);
}

describe('paid requests over HTTP', () => {
  it('default: the official client pays on Base and gets its answer', async () => {
    const response = await paying('eip155:8453')(server.url, { method: 'POST', body: '{"call":1}' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ echo: '{"call":1}' });
    const receipt = decode(response.headers.get('PAYMENT-RESPONSE'));
    expect(receipt).toMatchObject({ success: true, network: 'eip155:8453', payer: payer.address });
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
    await expect(base.usdcOf(payer.address)).resolves.toBe(funds - price);
  });

  it('default: the official client pays on Ethereum', async () => {
    const response = await paying('eip155:1')(server.url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(200);
    await expect(ethereum.usdcOf(payTo)).resolves.toBe(price);
    await expect(base.usdcOf(payTo)).resolves.toBe(0n);
  });

  it('default: the official client pays in version 1, where it reads nothing else', async () => {
    const hidden: typeof fetch = async (...call) => {
      const response = await fetch(...call);
      if (response.status !== 402) return response;
      return new Response(await response.text(), {
        status: 402,
        headers: { 'content-type': 'application/json' },
      });
    };
    const client = new x402Client().registerV1('base', new ExactEvmSchemeV1(payer));
    const response = await wrapFetchWithPayment(hidden, client)(server.url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(200);
    expect(decode(response.headers.get('X-PAYMENT-RESPONSE'))).toMatchObject({
      success: true,
      network: 'base',
    });
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
  });

  it('behavior: a caller who is gone when the answer is made is not charged', async () => {
    const { v2 } = await signPayment(payer, base.chain);
    const caller = new AbortController();
    const init = { method: 'POST', headers: { 'PAYMENT-SIGNATURE': v2 } };
    const gone = fetch(server.url, { ...init, body: '{"slowMs":150}', signal: caller.signal });
    setTimeout(() => caller.abort(), 50);
    await expect(gone).rejects.toThrow('aborted');
    await pause(300);
    await expect(base.usdcOf(payTo)).resolves.toBe(0n);
    expect((await fetch(server.url, { ...init, body: '{}' })).status).toBe(200);
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
  });

  it('behavior: X-PAYMENT of version 1 is answered with X-PAYMENT-RESPONSE', async () => {
    const { v1 } = await signPayment(payer, base.chain);
    const response = await post({}, { 'X-PAYMENT': v1 });
    expect(response.status).toBe(200);
    expect(decode(response.headers.get('X-PAYMENT-RESPONSE'))).toMatchObject({
      success: true,
      network: 'base',
    });
    expect(response.headers.get('PAYMENT-RESPONSE')).toBeNull();
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
  });

  it('behavior: a payload of version 2 is taken from X-PAYMENT too', async () => {
    const { v2 } = await signPayment(payer, base.chain);
    const response = await post({}, { 'X-PAYMENT': v2 });
    expect(response.status).toBe(200);
    expect(decode(response.headers.get('X-PAYMENT-RESPONSE'))).toMatchObject({ network: 'eip155:8453' });
  });

  it('behavior: 402 says the terms in both versions', async () => {
    const response = await post();
    expect(response.status).toBe(402);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.json()).toMatchObject({
      x402Version: 1,
      error: 'Payment required',
      code: 'PAYMENT_REQUIRED',
      accepts: [{ network: 'base', maxAmountRequired: '10000', payTo }],
    });
    const terms = decode(response.headers.get('PAYMENT-REQUIRED'));
    expect(terms.accepts).toMatchObject([{ network: 'eip155:8453' }, { network: 'eip155:1' }]);
  });

  it('behavior: the same payment and request again gets the same bytes, uncharged', async () => {
    const { v2 } = await signPayment(payer, base.chain);
    const runs = server.runs();
    const first = await post({ call: 'again' }, { 'PAYMENT-SIGNATURE': v2 });
    const second = await post({ call: 'again' }, { 'PAYMENT-SIGNATURE': v2 });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toBe(await first.text());
    expect(second.headers.get('PAYMENT-RESPONSE')).toBe(first.headers.get('PAYMENT-RESPONSE'));
    expect(server.runs()).toBe(runs + 1);
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
  });

  it('behavior: a used payment buys nothing else', async () => {
    const { v2 } = await signPayment(payer, base.chain);
    await post({ call: 'one' }, { 'PAYMENT-SIGNATURE': v2 });
    const response = await post({ call: 'two' }, { 'PAYMENT-SIGNATURE': v2 });
    expect(response.status).toBe(402);
    expect(decode(response.headers.get('PAYMENT-REQUIRED'))).toMatchObject({ error: 'payment_already_used' });
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
  });

  it.each([400, 404, 422, 500, 503])('behavior: an answer with status %d is not charged', async (status) => {
    const { v2 } = await signPayment(payer, base.chain);
    const failed = await post({ status }, { 'PAYMENT-SIGNATURE': v2 });
    expect(failed.status).toBe(status);
    expect(failed.headers.get('PAYMENT-RESPONSE')).toBeNull();
    await expect(base.usdcOf(payTo)).resolves.toBe(0n);
    // The authorization is as good as new, for another request too.
    const good = await post({ corrected: true }, { 'PAYMENT-SIGNATURE': v2 });
    expect(good.status).toBe(200);
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
  });

  it('behavior: one payment sent a hundred times runs the handler once and charges once', async () => {
    const { v2 } = await signPayment(payer, base.chain);
    const runs = server.runs();
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const response = await post({ call: 'hundred' }, { 'PAYMENT-SIGNATURE': v2 });
        await response.text();
        return [response.status, response.headers.get('Retry-After')] as const;
      }),
    );
    expect(server.runs()).toBe(runs + 1);
    expect(statuses.filter(([status]) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(statuses.every(([status, wait]) => status === 200 || (status === 503 && wait !== null))).toBe(
      true,
    );
    await expect(base.usdcOf(payTo)).resolves.toBe(price);
  });

  it('behavior: many payments at once are each settled once', async () => {
    const many = await Promise.all(Array.from({ length: 40 }, (_, index) => testAccount(`payer ${index}`)));
    await Promise.all(many.map(({ address }) => base.setUsdc(address, price)));
    const statuses = await Promise.all(
      many.map(async (account, index) => {
        const { v2 } = await signPayment(account, base.chain);
        return (await post({ index }, { 'PAYMENT-SIGNATURE': v2 })).status;
      }),
    );
    expect(statuses).toEqual(many.map(() => 200));
    await expect(base.usdcOf(payTo)).resolves.toBe(price * 40n);
  });

  it('behavior: tokens and facilitator fit the configuration', async () => {
    await expect(payments.inspect()).resolves.toEqual({ problems: [], warnings: [] });
  });
});

describe('start-up', () => {
  it('error: a token, a chain or a payee that does not fit', async () => {
    const wrong = (chain: typeof base.chain) =>
      buildPayments({
        chains: [chain],
        facilitator: createEmbeddedFacilitator({ account: relayer, chains: [chain] }),
        options: { payTo: relayer.address },
      });
    const { asset } = base.chain;
    const misnamed = { ...base.chain, asset: { ...asset, name: 'USDC', decimals: 8 } };
    const none = { ...base.chain, asset: { ...asset, address: payTo } };
    const other = { ...base.chain, chainId: 1 };
    const paysItself = 'the facilitator pays gas from the account that is paid';
    expect((await wrong(misnamed).inspect()).problems).toEqual([
      paysItself,
      'the token on base has 6 decimals',
      'the EIP-712 domain of the token on base is another one',
    ]);
    expect((await wrong(none).inspect()).problems).toEqual([
      paysItself,
      'the token on base takes no authorizations',
    ]);
    expect((await wrong(other).inspect()).problems).toEqual([paysItself, 'base is another chain']);
  });

  it('behavior: a relayer without ETH is a warning', async () => {
    const chains = [base.chain];
    const facilitator = createEmbeddedFacilitator({ account: testAccount('poor relayer'), chains });
    await expect(buildPayments({ chains, facilitator }).inspect()).resolves.toEqual({
      problems: [],
      warnings: ['the facilitator has no ETH on base'],
    });
  });
});
