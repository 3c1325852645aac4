import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import type { Payments } from '@yield-vault/payments';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Address } from 'viem';

/** The same handler without enforcement, behind the engine, and behind the stock middleware. */
export const routes = ['bare', 'ours', 'stock'] as const;
export type Route = (typeof routes)[number];

/** What a call costs. */
export const priceUsd = '0.01';
/** The same in base units. */
export const price = 10_000n;

/** A server with the three routes. */
export interface PaidServer {
  readonly url: (route: Route) => string;
  /** Milliseconds from the arrival of a request to the start of its handler, of every request that got there. */
  readonly reached: Readonly<Record<Route, number[]>>;
  stop(): Promise<void>;
}

const contentType = 'application/json; charset=utf-8';
const answer = Buffer.from(JSON.stringify({ vaults: Array.from({ length: 5 }, (_, rank) => ({ rank })) }));

/** Start one server in which all that differs between the routes is how they are paid for. */
export async function startPaidServer(
  payments: Payments,
  facilitator: FacilitatorClient,
  payTo: Address,
): Promise<PaidServer> {
  const reached: Record<Route, number[]> = { bare: [], ours: [], stock: [] };
  const arrivals = new WeakMap<object, number>();
  const handle = (route: Route, request: object) => {
    reached[route].push(performance.now() - (arrivals.get(request) ?? NaN));
    return answer;
  };
  const plain =
    (route: Route): RequestHandler =>
    (request, response) =>
      void response.type(contentType).send(handle(route, request));

  const app = express();
  app.use((request, _response, next) => {
    arrivals.set(request, performance.now());
    next();
  });
  app.use(express.raw({ type: () => true }));
  const resources = new x402ResourceServer(facilitator).register('eip155:*', new ExactEvmScheme());
  const accepts = { scheme: 'exact', network: 'eip155:8453', price: `$${priceUsd}`, payTo } as const;
  app.use(paymentMiddleware({ 'POST /stock': { accepts, description: 'A list' } }, resources));
  app.post('/bare', plain('bare'));
  app.post('/stock', plain('stock'));
  app.post(
    '/ours',
    sell(payments, (request) => handle('ours', request)),
  );
  app.use(fail);

  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (route) => `http://127.0.0.1:${String(port)}/${route}`,
    reached,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Sell what a handler makes, as a service wires the engine. */
function sell(payments: Payments, make: (request: object) => Buffer): RequestHandler {
  return async (request, response) => {
    const verdict = await payments.begin({
      ...{ resource: 'ours', method: request.method, path: request.url, body: request.body as Buffer },
      ...{ header: (name) => request.get(name), requestId: 'bench' },
    });
    if (verdict.kind === 'answered')
      return void response.set(verdict.headers).type(contentType).send(verdict.answer.body);
    if (verdict.kind === 'required')
      return void response.status(402).set(verdict.challenge.headers).json(verdict.challenge.body);
    if (verdict.kind === 'free') throw new Error('The route of the bench is not priced');
    const body = make(request);
    const settled = await payments.settle(verdict.session, { status: 200, contentType, body });
    if (settled.kind === 'required')
      return void response.status(402).set(settled.challenge.headers).json(settled.challenge.body);
    response.set(settled.headers).type(contentType).send(body);
  };
}

const fail: ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(error instanceof UpstreamUnavailableError ? 503 : 500).end(String(error));
};
