import { settings } from '@yield-vault/chains';
import { z } from 'zod';

const { positiveInteger, textList, wholeNumber } = settings;

const noProxies = 'must be the number of proxies, or their addresses and ranges';
const proxyRange = z.union([
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
]);

const proxies = z.union(
  [wholeNumber.pipe(z.int().max(10, noProxies)), textList().pipe(z.array(proxyRange))],
  noProxies,
);

const port = wholeNumber.pipe(z.int().max(65_535));

/** The HTTP server. */
export const serverSchema = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: port.default(3000),
  /** Where the API serves `/metrics` outside the local environment, and apps/worker serves `/metrics` and `/health`. */
  metricsPort: port.default(9464),
  bodyLimitBytes: positiveInteger.default(262_144),
  requestTimeoutSeconds: positiveInteger.default(180),
  /** Connections of one process. The server closes another one without a response. */
  maxConnections: positiveInteger.default(2_000),
  /** Proxies in front of the server: how many, or their addresses and ranges; 0 for none. */
  trustProxy: proxies.default(0),
  /** Operations that one process runs at a time. Above a limit it responds 503 at once. */
  maxConcurrent: z
    .strictObject({
      prepare: positiveInteger.default(100),
      status: positiveInteger.default(100),
      execute: positiveInteger.default(500),
      setupRelay: positiveInteger.default(300),
      intentStatus: positiveInteger.default(50),
      quote: positiveInteger.default(20),
    })
    .prefault({}),
});

/** Requests of one client within a minute, by route group. */
export const rateLimitsSchema = z
  .strictObject({
    redisUrl: z.string().optional(),
    perMinute: z
      .strictObject({
        discover: positiveInteger.default(120),
        status: positiveInteger.default(120),
        history: positiveInteger.default(120),
        prepare: positiveInteger.default(60),
        execute: positiveInteger.default(30),
        setupRelay: positiveInteger.default(30),
        testing: positiveInteger.default(20),
        pages: positiveInteger.default(300),
        other: positiveInteger.default(120),
      })
      .prefault({}),
  })
  .transform(({ redisUrl, perMinute }) =>
    redisUrl === undefined
      ? { store: 'memory' as const, perMinute }
      : { store: 'redis' as const, redisUrl, perMinute },
  );
