import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';

interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A proxy in front of a real JSON-RPC server: it records what passes and can take the server away. */
export interface RpcProxy {
  readonly url: string;
  /** Every call of a method so far. */
  callsOf(method: string): readonly RpcCall[];
  /** Break every connection from now on, until `restore`. */
  cut(): void;
  restore(): void;
  /** Let the next call of a method through and keep its answer back; resolves once the real server has answered. */
  holdAnswerOf(method: string): Promise<void>;
  stop(): Promise<void>;
}

/** Start a proxy that forwards JSON-RPC requests to a real server. */
export async function startRpcProxy(targetUrl: string): Promise<RpcProxy> {
  const calls: RpcCall[] = [];
  let isCut = false;
  let held: { readonly method: string; readonly answered: () => void } | undefined;

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (isCut) return void request.socket.destroy();
    const parsed = JSON.parse(body) as RpcCall | RpcCall[];
    const received = Array.isArray(parsed) ? parsed : [parsed];
    calls.push(...received);
    const answer = await fetch(targetUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await answer.text();
    const holding = held;
    if (holding && received.some(({ method }) => method === holding.method)) {
      held = undefined;
      holding.answered();
      return;
    }
    if (isCut) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    callsOf: (method) => calls.filter((call) => call.method === method),
    cut: () => {
      isCut = true;
      server.closeAllConnections();
    },
    restore: () => {
      isCut = false;
    },
    holdAnswerOf: (method) => new Promise<void>((answered) => (held = { method, answered })),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
