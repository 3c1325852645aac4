import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import pLimit from 'p-limit';
import type { LocalAccount } from 'viem';
import { routes, type PaidServer, type Route } from './start-paid-server.js';

/** Milliseconds, by route. */
export type Times = Readonly<Record<Route, readonly number[]>>;

/** Result of many payments in a row. */
export interface Soak {
  readonly settled: number;
  /** Payments that were sent again after their response, and received the same bytes. */
  readonly repeated: number;
  /** Responses with status 503, each followed by a retry. */
  readonly retried: number;
  /** Base units that arrived. */
  readonly received: bigint;
}

/** Signs one payment and returns its headers. */
export type Sign = () => Promise<Record<string, string>>;

const warmUp = 20;
const body = '{"chain":"base"}';
const maxAttempts = 20;
const repeatEvery = 10;
const soakConcurrency = 16;

/** Read the terms once, and pay with the official client. */
export async function createSign(server: PaidServer, account: LocalAccount): Promise<Sign> {
  const scheme = new ExactEvmScheme({ ...account, address: account.address });
  const client = new x402HTTPClient(new x402Client().register('eip155:*', scheme));
  const response = await post(server, 'paid', {});
  const json: unknown = await response.json();
  const required = client.getPaymentRequiredResponse((name) => response.headers.get(name), json);
  return async () => client.encodePaymentSignatureHeader(await client.createPaymentPayload(required));
}

/** Time unpaid requests to both routes, one at a time. */
export async function measureUnpaid(server: PaidServer, count: number): Promise<Times> {
  const times: Record<Route, number[]> = { free: [], paid: [] };
  for (let round = -warmUp; round < count; round++)
    for (const route of routes) {
      const started = performance.now();
      await send(server, route, {}, route === 'free' ? 200 : 402);
      if (round >= 0) times[route].push(performance.now() - started);
    }
  return times;
}

/** Time paid requests until their handler starts, one at a time. */
export async function measureVerify(server: PaidServer, sign: Sign, count: number): Promise<Times> {
  const times: Record<Route, number[]> = { free: [], paid: [] };
  for (let round = -warmUp; round < count; round++)
    for (const route of routes) {
      await send(server, route, route === 'free' ? {} : await sign(), 200);
      if (round >= 0) times[route].push(server.reached[route].at(-1) ?? NaN);
    }
  return times;
}

/** Send many payments at once, and every tenth one again after its response. */
export async function soakPayments(
  server: PaidServer,
  sign: Sign,
  count: number,
): Promise<Omit<Soak, 'received'>> {
  let retried = 0;
  let repeated = 0;
  const pay = async (payment: Record<string, string>): Promise<string> => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const response = await post(server, 'paid', payment);
      const text = await response.text();
      if (response.status === 200) return text;
      if (response.status !== 503)
        throw new Error(`A payment received status ${String(response.status)}: ${text}`);
      retried++;
    }
    throw new Error(`A payment received status 503 ${String(maxAttempts)} times`);
  };
  await pLimit(soakConcurrency).map(Array.from({ length: count }), async (_, index) => {
    const payment = await sign();
    const first = await pay(payment);
    if (index % repeatEvery !== 0) return;
    if ((await pay(payment)) !== first) throw new Error('A repeated payment received other bytes');
    repeated++;
  });
  return { settled: count, repeated, retried };
}

const post = (server: PaidServer, route: Route, headers: Record<string, string>): Promise<Response> =>
  fetch(server.url(route), { method: 'POST', body, headers });

async function send(
  server: PaidServer,
  route: Route,
  headers: Record<string, string>,
  expected: number,
): Promise<void> {
  const response = await post(server, route, headers);
  const text = await response.text();
  if (response.status !== expected)
    throw new Error(`${route}: status ${String(response.status)} instead of ${String(expected)}: ${text}`);
}
