import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The HTTP response to a JSON-RPC request. */
export interface RpcResponse {
  readonly status: number;
  /** JSON text. */
  readonly body: string | Uint8Array;
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
}

export interface RpcServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Longest body, in bytes; 413 above it. */
  readonly bodyLimit: number;
  /**
   * Handle a POST to a path. It must not reject.
   *
   * @param signal Aborted when the caller disconnects.
   */
  readonly handle: (path: string, body: Buffer, signal: AbortSignal) => Promise<RpcResponse>;
}

export interface RpcServer {
  readonly port: number;
  /** Stop listening and close every connection. */
  close(): Promise<void>;
}

/** Serve JSON-RPC over HTTP: POST only, bounded bodies, no CORS. */
export async function serveRpc({ host, port, bodyLimit, handle }: RpcServerOptions): Promise<RpcServer> {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  // Longer than clients keep a connection, so that none is closed while a request is on its way.
  server.keepAliveTimeout = 65_000;

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return refuse(response, 405, 'JSON-RPC takes POST.');
    const body = await readBody(request, bodyLimit);
    if (!body) return refuse(response, 413, `The body is longer than ${String(bodyLimit)} bytes.`);
    const caller = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) caller.abort();
    });
    send(response, await handle(request.url?.split('?', 1)[0] ?? '/', body, caller.signal));
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// The rest is not read: the connection is reset, and the response may be lost.
const drainFactor = 8;

/** @returns undefined when the body is too long. It is read anyway: some clients send all of it before they read. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit * drainFactor) return undefined;
    if (length <= limit) chunks.push(chunk);
  }
  return length > limit ? undefined : Buffer.concat(chunks, length);
}

function send(response: ServerResponse, { status, body, retryAfterSeconds }: RpcResponse): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(body);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  // The body may not have been read to its end, so the connection cannot be used again.
  response.setHeader('connection', 'close');
  const error = { code: -32600, message };
  send(response, { status, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) });
}
