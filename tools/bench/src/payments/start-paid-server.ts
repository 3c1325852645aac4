import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Payments } from '@yield-vault/payments';
import { UpstreamUnavailableError } from '@yield-vault/protocol';

/** The same handler, free and priced. */
export const routes = ['free', 'paid'] as const;
export type Route = (typeof routes)[number];

/** Price of a call, in USD and in base units. */
export const priceUsd = '0.01';
export const price = 10_000n;

export interface PaidServer {
  readonly url: (route: Route) => string;
  /** Milliseconds from the arrival of each request to the start of its handler. */
  readonly reached: Readonly<Record<Route, number[]>>;
  stop(): Promise<void>;
}

const contentType = 'application/json; charset=utf-8';
const content = Buffer.from(JSON.stringify({ vaults: Array.from({ length: 5 }, (_, rank) => ({ rank })) }));

/** Start a server whose two routes differ only in the payment. */
export async function startPaidServer(payments: Payments): Promise<PaidServer> {
  const reached: Record<Route, number[]> = { free: [], paid: [] };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrived = performance.now();
    const route: Route = request.url === '/paid' ? 'paid' : 'free';
    const handle = () => {
      reached[route].push(performance.now() - arrived);
      return content;
    };
    const send = (status: number, headers: Readonly<Record<string, string>>, body: Uint8Array | string) =>
      void response.writeHead(status, { ...headers, 'content-type': contentType }).end(body);

    const result = await payments.begin({
      resource: route,
      method: 'POST',
      path: `/${route}`,
      body: await buffer(request),
      header: (name) => request.headers[name.toLowerCase()]?.toString(),
      requestId: 'bench',
    });
    if (result.kind === 'free') return send(200, {}, handle());
    if (result.kind === 'answered') return send(200, result.headers, result.response.body);
    const settled =
      result.kind === 'reserved'
        ? await payments.settle(result.session, { status: 200, contentType, body: handle() })
        : result;
    if (settled.kind === 'settled') return send(200, settled.headers, content);
    send(402, settled.challenge.headers, JSON.stringify(settled.challenge.body));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(error instanceof UpstreamUnavailableError ? 503 : 500).end(String(error));
    });
  }).listen(0, '127.0.0.1');
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
