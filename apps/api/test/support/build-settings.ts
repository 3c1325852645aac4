import type { ServerSettings } from '../../src/settings.js';

/** Settings of a server in tests, with limits that no test meets by accident. */
export function buildSettings(overrides: Partial<ServerSettings> = {}): ServerSettings {
  return {
    environment: 'local',
    worker: 'external',
    server: {
      host: '127.0.0.1',
      port: 0,
      metricsPort: 0,
      bodyLimitBytes: 262_144,
      requestTimeoutSeconds: 180,
      maxConnections: 1_000,
      trustProxy: 0,
      maxConcurrent: {
        prepare: 1_000,
        status: 1_000,
        execute: 1_000,
        setupRelay: 1_000,
        intentStatus: 1_000,
        statusBatch: 1_000,
        quote: 1_000,
      },
    },
    rateLimits: {
      store: 'memory',
      perMinute: {
        discover: 10_000,
        status: 10_000,
        history: 10_000,
        prepare: 10_000,
        execute: 10_000,
        setupRelay: 10_000,
        testing: 10_000,
        pages: 10_000,
        other: 10_000,
      },
    },
    preflight: { mode: 'off' },
    intents: { expirySeconds: 600 },
    payments: { mode: 'off' },
    testing: { enabled: true },
    ...overrides,
  };
}
