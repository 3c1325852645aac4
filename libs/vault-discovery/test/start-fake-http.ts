import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpFault =
  'silent' | 'cut' | 'partial' | 'garbage' | 'endless' | 'http-500' | 'http-404' | 'rate-limit';

export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP service that responds with JSON, or misbehaves. */
export interface FakeHttp {
  readonly url: string;
  readonly requests: readonly HttpRequest[];
  /** Set its response: a value, or a function of the request. */
  respondWith(answer: unknown): void;
  /** Misbehave for so many requests. */
  failNext(fault: HttpFault, times: number, headers?: Readonly<Record<string, string>>): void;
  /** Wait until that many requests came. */
  received(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Start a service for each test of a file. Its members exist from `beforeEach` on. */
export function useFakeHttp(): FakeHttp {
  const service = {} as FakeHttp;
  beforeEach(async () => {
    Object.assign(service, await startFakeHttp());
  });
  afterEach(() => service.stop());
  return service;
}

async function startFakeHttp(): Promise<FakeHttp> {
  const requests: HttpRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let answer: unknown = {};
  let failure: { fault: HttpFault; times: number; headers: Readonly<Record<string, string>> } | undefined;

  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => (body += String(chunk)));
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body };
      requests.push(request);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
      const made: unknown =
        typeof answer === 'function' ? (answer as (request: HttpRequest) => unknown)(request) : answer;
      const text = JSON.stringify(made);
      if (!failure || failure.times <= 0) {
        response.setHeader('content-type', 'application/json').end(text);
        return;
      }
      failure.times -= 1;
      misbehave(response, failure.fault, text, failure.headers);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respondWith: (next) => (answer = next),
    failNext: (fault, times, headers = {}) => (failure = { fault, times, headers }),
    received: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function misbehave(
  response: ServerResponse,
  fault: HttpFault,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (fault === 'silent') return;
  if (fault === 'cut') response.destroy();
  else if (fault === 'garbage') response.end('<html>');
  else if (fault === 'endless') writeForEver(response);
  else if (fault === 'partial') {
    response.writeHead(200, { 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  } else {
    const status = { 'http-500': 500, 'http-404': 404, 'rate-limit': 429 }[fault];
    response.writeHead(status, headers).end('no');
  }
}

function writeForEver(response: ServerResponse): void {
  const chunk = ' '.repeat(16_384);
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', write);
  };
  write();
}
