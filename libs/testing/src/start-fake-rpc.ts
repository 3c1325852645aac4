import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, type RunningServer } from './listen.js';

/** How a fake JSON-RPC server misbehaves. */
export type RpcFault = 'cut' | 'silent' | 'garbage' | 'http-500';

/** Handles one method; throw an `RpcFailure` to respond with a JSON-RPC error. */
export type RpcHandler = (params: readonly unknown[]) => unknown;

/** A JSON-RPC error response. */
export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** A JSON-RPC server made of handlers. */
export interface FakeRpc extends RunningServer {
  readonly rpcUrl: string;
  /** HTTP requests so far, those that were refused included. */
  readonly requests: number;
  /** Every call so far, oldest first. */
  readonly calls: readonly { readonly method: string; readonly params: readonly unknown[] }[];
  /** Misbehave from now on; `undefined` heals it. */
  setFault(fault: RpcFault | undefined): void;
}

interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Start a JSON-RPC server with handlers, batches included; a method without handler returns -32601.
 *
 * @param handlers - may be changed while it runs
 * @param refuse - gives the error of a call that it does not serve
 * @param errorStatus - HTTP status of a JSON-RPC error that travels alone
 * @param admit - decides about each HTTP request; it gets 429 and Retry-After when this refuses it
 */
export async function startFakeRpc(
  handlers: Record<string, RpcHandler>,
  {
    admit = () => true,
    refuse = () => undefined,
    errorStatus = 200,
  }: {
    readonly admit?: () => boolean;
    readonly refuse?: (method: string, params: readonly unknown[]) => RpcFailure | undefined;
    readonly errorStatus?: number;
  } = {},
): Promise<FakeRpc> {
  const calls: { method: string; params: readonly unknown[] }[] = [];
  let fault: RpcFault | undefined;
  let requests = 0;

  const respond = async ({ id, method, params = [] }: RpcRequest) => {
    calls.push({ method, params });
    const handler = handlers[method];
    const refusal = refuse(method, params);
    if (!handler && !refusal)
      return { jsonrpc: '2.0', id, error: { code: -32601, message: `no handler for ${method}` } };
    try {
      if (refusal) throw refusal;
      return { jsonrpc: '2.0', id, result: await handler?.(params) };
    } catch (error) {
      const { code, message, data } =
        error instanceof RpcFailure ? error : { code: -32603, message: String(error), data: undefined };
      return { jsonrpc: '2.0', id, error: { code, message, data } };
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    requests += 1;
    if (!admit()) return void response.writeHead(429, { 'retry-after': '1' }).end('slow down');
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'silent') return;
    if (fault === 'http-500') return void response.writeHead(500).end('internal error');
    if (fault === 'garbage') return void response.end('<html>not JSON-RPC</html>');
    const body = JSON.parse(text) as RpcRequest | RpcRequest[];
    const result = await (Array.isArray(body) ? Promise.all(body.map(respond)) : respond(body));
    if (!Array.isArray(result) && 'error' in result) response.statusCode = errorStatus;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  };

  const server = createServer((request, response) => void serve(request, response));
  const running = await listen(server);
  return {
    ...running,
    rpcUrl: `http://127.0.0.1:${running.port}`,
    calls,
    get requests() {
      return requests;
    },
    setFault: (next) => {
      fault = next;
    },
  };
}
