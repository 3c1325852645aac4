import { Agent, createServer, request as send, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { tripsKept, type LatencyProxyData } from './latency-proxy-data.js';

const { targetUrl, delayMs, requests, times } = workerData as LatencyProxyData;
const now = () => performance.timeOrigin + performance.now();
const agent = new Agent({ keepAlive: true });
const server = createServer((request, response) => {
  const place = (Atomics.add(requests, 0, 1) % tripsKept) * 2;
  times[place] = now();
  const answer = forward(request, targetUrl, agent);
  Promise.all([answer, delayMs > 0 && pause(delayMs)])
    .then(([body]) => {
      times[place + 1] = now();
      response.setHeader('content-type', 'application/json').end(body);
    })
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
