import { Agent, createServer, request as send, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Stands for the way to a remote RPC. */
export interface LatencyProxy {
  readonly url: string;
  /** HTTP requests so far. */
  requests(): number;
  stop(): Promise<void>;
}

/** Start a proxy that delays every HTTP answer and counts the requests. */
export async function startLatencyProxy(targetUrl: string, delayMs: number): Promise<LatencyProxy> {
  const agent = new Agent({ keepAlive: true });
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const answer = forward(request, targetUrl, agent);
    Promise.all([answer, delayMs > 0 && pause(delayMs)])
      .then(([body]) => response.setHeader('content-type', 'application/json').end(body))
      .catch(() => response.destroy());
  });
  const { port } = await listen(server);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    requests: () => requests,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

function forward(request: IncomingMessage, targetUrl: string, agent: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const outgoing = send(targetUrl, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve(Buffer.concat(chunks))).once('error', reject);
    });
    request.pipe(outgoing.once('error', reject));
  });
}
