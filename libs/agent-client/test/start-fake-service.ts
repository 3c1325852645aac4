import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response to give; a function of the request headers, or a broken connection. */
export type FakeResponse =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang up';

export interface FakeRequest {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface FakeService {
  readonly url: string;
  /** The requests received, in order. */
  readonly requests: FakeRequest[];
  stop(): Promise<void>;
}

/** Serve the given answers one after the other, the last of them for ever. */
export async function startFakeService(responses: readonly FakeResponse[]): Promise<FakeService> {
  const requests: FakeRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', body, headers: request.headers });
      const answer = responses[Math.min(requests.length, responses.length) - 1]!;
      if (answer === 'hang up') return void request.socket.destroy();
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
