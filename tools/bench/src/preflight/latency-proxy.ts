import { Agent, createServer, request as send, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** What the proxy is started with, in a thread of its own. */
export interface LatencyProxyData {
  readonly targetUrl: string;
  readonly delayMs: number;
  /** HTTP requests so far, at index 0; shared. */
  readonly requests: Int32Array;
}

const { targetUrl, delayMs, requests } = workerData as LatencyProxyData;
const agent = new Agent({ keepAlive: true });
const server = createServer((request, response) => {
  Atomics.add(requests, 0, 1);
  const answer = forward(request, targetUrl, agent);
  Promise.all([answer, delayMs > 0 && pause(delayMs)])
    .then(([body]) => response.setHeader('content-type', 'application/json').end(body))
    .catch(() => response.destroy());
});
const { port } = await listen(server);
parentPort?.postMessage(`http://127.0.0.1:${String(port)}`);

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
