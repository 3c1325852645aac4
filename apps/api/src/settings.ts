/** Route groups that share one request limit. */
export const routeGroups = [
  'discover',
  'status',
  'history',
  'prepare',
  'execute',
  'setupRelay',
  'testing',
  'other',
] as const;
export type RouteGroup = (typeof routeGroups)[number];

/** Where a deployment runs. */
export const environments = ['local', 'staging', 'preproduction', 'production'] as const;

/** The part of a deployment that the server itself needs; the features get the rest. */
export interface ServerSettings {
  readonly environment: (typeof environments)[number];
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly bodyLimitBytes: number;
    readonly requestTimeoutSeconds: number;
    readonly trustProxy: number | readonly string[];
  };
  readonly rateLimits: {
    readonly store: 'memory' | 'redis';
    readonly redisUrl?: string;
    readonly perMinute: Readonly<Record<RouteGroup, number>>;
  };
  readonly preflight: { readonly mode: 'off' | 'enforce' };
  /** Whether the routes under `/v1/testing` are served. */
  readonly testing: { readonly enabled: boolean };
  readonly payments: { readonly mode: 'off' | 'on' };
}
