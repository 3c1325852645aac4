import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ForkProvider } from '@yield-vault/forks';
import { createLogger } from '@yield-vault/server';
import { createServer } from '../../src/server/create-server.js';
import type { ServiceSettings } from '../../src/config/load-config.js';
import { createContract } from './create-contract.js';

/** What operators of the tests identify with. */
export const credential = 'the-credential-of-the-tests';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed; `undefined` when there is no body. */
  readonly json: Record<string, unknown>;
}

export interface CallOptions {
  /** `undefined` sends none. */
  readonly authorization?: string | undefined;
  readonly headers?: Record<string, string>;
  /** Sent as it stands. */
  readonly raw?: string;
}

/** Calls a service over HTTP; every response is held against the OpenAPI document. */
export interface ServiceCaller {
  readonly url: string;
  call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer>;
}

export interface TestService extends ServiceCaller {
  readonly app: NestFastifyApplication;
  /** Log lines so far. */
  readonly logged: readonly string[];
  close(): Promise<void>;
}

/** Make a caller of the service at an address. */
export async function createCaller(url: string): Promise<ServiceCaller> {
  const document = (await (await fetch(`${url}/docs-json`)).json()) as OpenAPIObject;
  const contract = createContract(document);
  return {
    url,
    async call(method, path, body, options = {}) {
      const authorization = 'authorization' in options ? options.authorization : `Bearer ${credential}`;
      const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(authorization !== undefined && { authorization }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
        },
        body: payload,
        signal: AbortSignal.timeout(30_000),
      });
      const { status, headers } = response;
      const text = await response.text();
      const type = headers.get('content-type') ?? '';
      const [pathname = ''] = path.split('?');
      expect({
        path,
        status,
        text,
        problems: contract.problems(method, pathname, status, type, text),
      }).toEqual({ path, status, text, problems: [] });
      const json = type.startsWith('application/json') ? (JSON.parse(text) as Record<string, unknown>) : {};
      return { status, headers, text, json };
    },
  };
}

/** Start the real server on some provider, listening on a free port. */
export async function startService(
  provider: ForkProvider,
  settings: Partial<ServiceSettings> = {},
): Promise<TestService> {
  const logged: string[] = [];
  const logger = createLogger({
    level: 'info',
    secrets: [credential],
    destination: { write: (line: string) => void logged.push(line) },
  });
  const app = await createServer(
    { credential, requestTimeoutSeconds: 30, ...settings },
    provider,
    ['base', 'ethereum'],
    logger,
  );
  const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
  const caller = await createCaller(url);
  return { ...caller, app, logged, close: () => app.close() };
}
