import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import pLimit from 'p-limit';
import type { LocalAccount } from 'viem';
import { routes, type PaidServer, type Route } from './start-paid-server.js';

/** Milliseconds, by route. */
export type Times = Readonly<Record<Route, readonly number[]>>;

/** Paid requests per second. */
export interface Rate {
  readonly concurrency: number;
  readonly ours: number;
  readonly stock: number;
}

/** How a long row of payments ended. */
export interface Soak {
  readonly answered: number;
  /** Payments that were sent again after their answer, and answered with the same bytes. */
  readonly repeated: number;
  /** Answers 503, after which the same payment was sent again. */
  readonly retried: number;
  /** Base units that arrived. */
  readonly received: bigint;
}

/** A payer's way to pay for a route. */
export type Sign = (route: Route) => Promise<Record<string, string>>;

const warmUp = 20;
const body = '{"chain":"base"}';
const mostRetries = 20;
const repeatEvery = 10;
const soakConcurrency = 16;

/** Read the terms of the priced routes once, and pay with the official client. */
export async function createSign(server: PaidServer, account: LocalAccount): Promise<Sign> {
  const client = new x402HTTPClient(
    new x402Client().register('eip155:*', new ExactEvmScheme({ ...account, address: account.address })),
  );
  const terms = async (route: Route) => {
    const response = await fetch(server.url(route), { method: 'POST', body });
    return client.getPaymentRequiredResponse((name) => response.headers.get(name), await response.json());
  };
  const required = { ours: await terms('ours'), stock: await terms('stock') };
  return async (route) =>
    route === 'bare'
      ? {}
      : client.encodePaymentSignatureHeader(await client.createPaymentPayload(required[route]));
}

/** Send unpaid requests to the routes in turn, one at a time. */
export async function measureUnpaid(server: PaidServer, count: number): Promise<Times> {
  const times: Record<Route, number[]> = { bare: [], ours: [], stock: [] };
  for (let round = -warmUp; round < count; round++)
    for (const route of inTurn(round)) {
      const started = performance.now();
      await send(server, route, {}, route === 'bare' ? 200 : 402);
      if (round >= 0) times[route].push(performance.now() - started);
    }
  return times;
}

/** Send paid requests to the routes in turn, one at a time; what counts is when the handler is reached. */
export async function measureVerify(server: PaidServer, sign: Sign, count: number): Promise<Times> {
  const times: Record<Route, number[]> = { bare: [], ours: [], stock: [] };
  for (let round = -warmUp; round < count; round++)
    for (const route of inTurn(round)) {
      await send(server, route, await sign(route), 200);
      if (round >= 0) times[route].push(server.reached[route].at(-1) ?? NaN);
    }
  return times;
}

/** Send paid requests, so many at a time; they were signed before. */
export async function measureRate(
  server: PaidServer,
  sign: Sign,
  count: number,
  concurrency: number,
): Promise<Rate> {
  const rateOf = async (route: Route) => {
    const payments = await Promise.all(Array.from({ length: count }, () => sign(route)));
    const started = performance.now();
    await pLimit(concurrency).map(payments, (payment) => send(server, route, payment, 200));
    return (count * 1_000) / (performance.now() - started);
  };
  // Half of each before and after the other, so that what else happens here happens to both.
  const [ours, stock, stockAgain, oursAgain] = [
    await rateOf('ours'),
    await rateOf('stock'),
    await rateOf('stock'),
    await rateOf('ours'),
  ];
  return { concurrency, ours: (ours + oursAgain) / 2, stock: (stock + stockAgain) / 2 };
}

/** Pay again and again, and some payments twice, as agents do who lost an answer. */
export async function soakPayments(
  server: PaidServer,
  sign: Sign,
  count: number,
): Promise<Omit<Soak, 'received'>> {
  let retried = 0;
  let repeated = 0;
  const pay = async (payment: Record<string, string>): Promise<string> => {
    for (let attempt = 0; attempt < mostRetries; attempt++) {
      const response = await post(server, 'ours', payment);
      const text = await response.text();
      if (response.status === 200) return text;
      if (response.status !== 503)
        throw new Error(`A payment was answered ${String(response.status)}: ${text}`);
      retried++;
    }
    throw new Error('A payment was never answered');
  };
  await pLimit(soakConcurrency).map(Array.from({ length: count }), async (_, index) => {
    const payment = await sign('ours');
    const first = await pay(payment);
    if (index % repeatEvery !== 0) return;
    if ((await pay(payment)) !== first) throw new Error('A payment bought two different answers');
    repeated++;
  });
  return { answered: count, repeated, retried };
}

const inTurn = (round: number): readonly Route[] => (round % 2 === 0 ? routes : routes.toReversed());

const post = (server: PaidServer, route: Route, headers: Record<string, string>): Promise<Response> =>
  fetch(server.url(route), {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

async function send(
  server: PaidServer,
  route: Route,
  headers: Record<string, string>,
  expected: number,
): Promise<void> {
  const response = await post(server, route, headers);
  const text = await response.text();
  if (response.status !== expected)
    throw new Error(`${route} answered ${String(response.status)} instead of ${String(expected)}: ${text}`);
}
