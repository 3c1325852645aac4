import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger } from '@yield-vault/server';
import type { Response as InjectedResponse } from 'light-my-request';
import type { Features } from '../../src/ports.js';
import { createServer, type ServerOptions } from '../../src/server/create-server.js';
import type { ServerSettings } from '../../src/settings.js';
import { buildSettings } from './build-settings.js';
import { fakeFeatures, type Calls } from './fake-features.js';

export interface TestServer {
  readonly app: NestFastifyApplication;
  readonly calls: Calls;
  /** Log lines so far, parsed. */
  readonly logged: Record<string, unknown>[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<InjectedResponse>;
  /** Send a body as it stands. */
  postRaw(
    path: string,
    payload: string | Buffer,
    headers?: Record<string, string>,
  ): Promise<InjectedResponse>;
  get(path: string, headers?: Record<string, string>): Promise<InjectedResponse>;
  close(): Promise<void>;
}

interface StartOptions extends Partial<Omit<ServerOptions, 'logger'>> {
  readonly settings?: Partial<ServerSettings>;
  readonly features?: Partial<Features>;
  readonly secrets?: readonly string[];
}

/** Start the real server on fake features; nothing listens, requests are injected. */
export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const { settings, features: overrides, secrets = [], ...serverOptions } = options;
  const logged: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: 'info',
    secrets,
    destination: { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const { features, calls } = fakeFeatures(overrides);
  const app = await createServer(buildSettings(settings), features, { logger, ...serverOptions });
  const postRaw: TestServer['postRaw'] = (path, payload, headers = { 'content-type': 'application/json' }) =>
    app.inject({ method: 'POST', url: path, payload, headers });
  return {
    app,
    calls,
    logged,
    postRaw,
    post: (path, body, headers = {}) =>
      postRaw(path, JSON.stringify(body), { 'content-type': 'application/json', ...headers }),
    get: (path, headers = {}) => app.inject({ method: 'GET', url: path, headers }),
    close: () => app.close(),
  };
}
