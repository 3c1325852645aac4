import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the upstream fails. */
export type UpstreamFault = 'times out' | 'answers 429' | 'answers garbage' | 'stalls';

/** Stands in front of a chain's RPC and fails when it is told to. */
export interface FaultyProxy {
  readonly url: string;
  fail(fault: UpstreamFault | undefined): void;
  stop(): Promise<void>;
}

/** Start the proxy of an RPC. */
export async function startFaultyProxy(targetUrl: string): Promise<FaultyProxy> {
  let fault: UpstreamFault | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (fault === 'times out') return;
    if (fault === 'answers 429') return void response.writeHead(429).end();
    if (fault === 'answers garbage') return void response.end('<html>not JSON-RPC</html>');
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(targetUrl, { method: 'POST', headers, body: Buffer.concat(chunks) });
    const text = await answer.text();
    if (fault === 'stalls') return void response.write(text.slice(0, text.length / 2));
    response.end(text);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    fail: (next) => {
      fault = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
