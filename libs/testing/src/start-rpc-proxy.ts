import { createServer, request as send, Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, type RunningServer } from './listen.js';

/** How a proxied JSON-RPC endpoint misbehaves. */
export type RpcProxyFault = 'cut' | 'silent' | 'stalled-body' | 'garbage' | 'http-500' | 'http-429';

/** One call of a JSON-RPC request. */
export interface RpcProxyCall {
  readonly id?: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An HTTP response. */
export interface RpcProxyResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Takes requests over; `undefined` leaves a request alone. It may forward the request, or other calls in its place, any number
 * of times. It gives the response, or `'cut'` to close the connection.
 */
export type RpcProxyHook = (
  calls: readonly RpcProxyCall[],
  forward: (calls?: readonly RpcProxyCall[]) => Promise<RpcProxyResponse>,
  isBatch: boolean,
) => Promise<RpcProxyResponse | 'cut'> | undefined;

/** An HTTP proxy in front of a real JSON-RPC server. */
export interface RpcProxy extends RunningServer {
  readonly url: string;
  /** HTTP requests so far, those that were refused included. */
  readonly requests: number;
  /** Every call of a method so far, those that were refused included. */
  callsOf(method: string): readonly RpcProxyCall[];
  /** Forward the next call of a method and hold its response; resolves once the real server has responded. */
  holdResponseOf(method: string): Promise<void>;
  /** Delay every response from now on, in milliseconds. */
  setDelay(ms: number): void;
  /** Misbehave from now on, or only for the next requests; `undefined` heals it. */
  setFault(fault: RpcProxyFault | undefined, requests?: number): void;
  /** Let a hook see every request from now on, before older hooks; returns how to remove it. */
  addHook(hook: RpcProxyHook): () => void;
}

/** Start a proxy that counts, delays and spoils the HTTP requests to the JSON-RPC server of `targetUrl`. */
export async function startRpcProxy(targetUrl: string): Promise<RpcProxy> {
  // Servers of Node close an idle connection after 5 s: a request must not meet that.
  const agent = new Agent({ keepAlive: true, timeout: 4_000 });
  const batches: RpcProxyCall[][] = [];
  let delayMs = 0;
  let fault: { readonly kind: RpcProxyFault; left: number } | undefined;
  let hooks: readonly RpcProxyHook[] = [];
  let held: { readonly method: string; readonly answered: () => void } | undefined;

  const takeFault = (): RpcProxyFault | undefined => {
    if (!fault) return undefined;
    const { kind } = fault;
    if (--fault.left <= 0) fault = undefined;
    return kind;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request);
    const parsed = JSON.parse(body) as RpcProxyCall | RpcProxyCall[];
    const calls = [parsed].flat();
    batches.push(calls);
    const spoiled = takeFault();
    if (delayMs > 0) await pause(delayMs);
    if (spoiled === 'cut') return void request.socket.destroy();
    if (spoiled === 'silent') return;
    if (spoiled === 'http-500') return void response.writeHead(500).end('internal error');
    if (spoiled === 'http-429') return void response.writeHead(429, { 'retry-after': '1' }).end('slow down');
    if (spoiled === 'garbage') return void response.end('<html>not JSON-RPC</html>');
    const send = (changed?: readonly RpcProxyCall[]) =>
      forward(targetUrl, changed ? JSON.stringify(changed) : body, agent);
    let taken: ReturnType<RpcProxyHook>;
    for (const hook of hooks) taken ??= hook(calls, send, Array.isArray(parsed));
    const answered = await (taken ?? send());
    if (answered === 'cut') return void request.socket.destroy();
    const { status, text: answer } = answered;
    const holding = held;
    if (holding && calls.some(({ method }) => method === holding.method)) {
      held = undefined;
      return holding.answered();
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    if (spoiled === 'stalled-body') return void response.write(answer.slice(0, answer.length / 2));
    response.end(answer);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const running = await listen(server);
  return {
    port: running.port,
    url: `http://127.0.0.1:${running.port}`,
    get requests() {
      return batches.length;
    },
    callsOf: (method) => batches.flat().filter((call) => call.method === method),
    holdResponseOf: (method) => new Promise<void>((answered) => (held = { method, answered })),
    setDelay: (ms) => {
      delayMs = ms;
    },
    setFault: (kind, left = Infinity) => {
      fault = kind && { kind, left };
    },
    addHook: (hook) => {
      hooks = [hook, ...hooks];
      return () => {
        hooks = hooks.filter((each) => each !== hook);
      };
    },
    stop: async () => {
      agent.destroy();
      await running.stop();
    },
  };
}

function forward(url: string, body: string, agent: Agent): Promise<RpcProxyResponse> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    send(url, { method: 'POST', agent, headers }, (response) => {
      const status = response.statusCode ?? 502;
      readText(response).then((text) => resolve({ status, text }), reject);
    })
      .once('error', reject)
      .end(body);
  });
}

async function readText(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
