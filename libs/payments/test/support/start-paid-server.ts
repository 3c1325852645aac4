import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ServiceError } from '@yield-vault/protocol';
import type { Payments } from '../../src/payments.js';
import type { PaymentChallenge } from '../../src/types.js';

/** How long the handler works, and what it answers. */
export interface Handler {
  (body: string): Promise<{ status: number; json: unknown }> | { status: number; json: unknown };
}

const statusOf: Partial<Record<string, number>> = {
  PAYMENT_IN_USE: 409,
  RATE_LIMIT_EXCEEDED: 429,
  UPSTREAM_UNAVAILABLE: 503,
};

/** A small server that sells the answers of a handler, as a service wires the engine. */
export async function startPaidServer(payments: Payments, handler: Handler, resource = 'prepare') {
  let runs = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const verdict = await payments.begin({
      resource,
      method: request.method ?? '',
      path: request.url ?? '',
      body,
      requestId: 'test-request',
      header: (name) => request.headers[name.toLowerCase()]?.toString(),
    });
    if (verdict.kind === 'required') return refuse(response, verdict.challenge);
    if (verdict.kind === 'answered') {
      const { status, contentType, body } = verdict.answer;
      return void response.writeHead(status, { ...verdict.headers, 'content-type': contentType }).end(body);
    }
    runs++;
    const session = verdict.kind === 'reserved' ? verdict.session : undefined;
    const made = await Promise.resolve(handler(body.toString())).catch(() => ({ status: 500, json: {} }));
    const bytes = Buffer.from(JSON.stringify(made.json));
    const contentType = 'application/json';
    if (!session) return void response.writeHead(made.status, { 'content-type': contentType }).end(bytes);
    if (made.status >= 400 || request.socket.destroyed) {
      await payments.cancel(session);
      return void response.writeHead(made.status, { 'content-type': contentType }).end(bytes);
    }
    const settled = await payments.settle(session, { status: made.status, contentType, body: bytes });
    if (settled.kind === 'required') return refuse(response, settled.challenge);
    response.writeHead(made.status, { ...settled.headers, 'content-type': contentType }).end(bytes);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      const known = error instanceof ServiceError ? error : undefined;
      const retryAfter = known?.retryAfterSeconds;
      response
        .writeHead(statusOf[known?.code ?? ''] ?? 500, {
          ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
        })
        .end(JSON.stringify({ code: known?.code ?? 'INTERNAL', detail: known?.detail ?? String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1/yield/prepare`,
    /** How often the handler ran. */
    runs: () => runs,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse, { headers, body }: PaymentChallenge): void {
  response.writeHead(402, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
