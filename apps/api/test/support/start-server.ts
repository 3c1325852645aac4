import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { createLogger } from '@yield-vault/server';
import type { Response as InjectedResponse } from 'light-my-request';
import { describeApp, startApp } from '../../src/create-app.js';
import type { Parts } from '../../src/parts.js';
import { defaultTimings, type Timings } from '../../src/infrastructure/lifecycle.js';
import type { HealthMonitorOptions } from '../../src/modules/health/create-health-monitor.js';
import type { ServerSettings } from '../../src/settings.js';
import { tokens } from '../../src/tokens.js';
import { buildSettings } from './build-settings.js';
import { fakeFeatures, type Calls, type FeatureOverrides } from './fake-features.js';

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

interface StartOptions {
  readonly settings?: Partial<ServerSettings>;
  /** Limits of the server that differ. */
  readonly server?: Partial<ServerSettings['server']>;
  readonly features?: FeatureOverrides;
  readonly secrets?: readonly string[];
  readonly timings?: Partial<Timings>;
  readonly health?: HealthMonitorOptions;
  readonly controllers?: readonly Type[];
}

/** Start the real server on fake features; nothing listens, requests are injected. */
export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const { settings, server, features: overrides, secrets = [], timings, health, controllers } = options;
  const built = buildSettings(settings);
  const logged: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: 'info',
    secrets,
    destination: { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const { features, calls } = fakeFeatures(overrides);
  const {
    module,
    adapter,
    options: appOptions,
  } = describeApp(
    {
      settings: { ...built, server: { ...built.server, ...server } } as Parts['settings'],
      registry: [],
      logger,
      database: features.database as Parts['database'],
      timings: { ...defaultTimings, ...timings },
      ...(health && { health }),
    },
    controllers,
  );
  const builder = Test.createTestingModule({ imports: [module] });
  const { database: _, ...routed } = features;
  const replaced = {
    ...routed,
    depositLimits: {
      paused: () => ['chain:base'],
      job: { name: 'deposit-limits', intervalMs: 60_000, run: () => Promise.resolve('done') },
    },
    events: null,
    forkService: null,
    walletChains: null,
    contractCheck: null,
    simulator: null,
  } satisfies Partial<Record<keyof typeof tokens, unknown>>;
  for (const [name, value] of Object.entries(replaced))
    builder.overrideProvider(tokens[name as keyof typeof replaced]).useValue(value);
  const testing = await builder.compile();
  const app = await startApp(testing.createNestApplication<NestFastifyApplication>(adapter, appOptions));
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

/** A server for all tests of a file. */
export function useServer(options?: StartOptions): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => void Object.assign(server, await startServer(options)));
  afterAll(() => server.close());
  return server;
}
