import { Gauge, Histogram, type Registry } from 'prom-client';

/** Receives how an upstream does; `dependency` is e.g. `rpc:base`. */
interface UpstreamObserver {
  onCall(dependency: string, seconds: number, isUp: boolean): void;
  onBreaker(dependency: string, isOpen: boolean): void;
}

/** Add the metrics of upstreams. */
export function measureUpstreams(registry: Registry, prefix: string): UpstreamObserver {
  const registers = [registry];
  const duration = new Histogram({
    name: `${prefix}upstream_request_duration_seconds`,
    help: 'Time of a JSON-RPC call, retries included. Outcome down: the upstream gave no usable response.',
    labelNames: ['dependency', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const breaker = new Gauge({
    name: `${prefix}upstream_breaker_open`,
    help: '1 while requests to an upstream are paused, because it failed too often.',
    labelNames: ['dependency'],
    registers,
  });
  const seen = new Set<string>();
  return {
    onCall: (dependency, seconds, isUp) =>
      duration.observe({ dependency, outcome: isUp ? 'up' : 'down' }, seconds),
    onBreaker: (dependency, isOpen) => {
      breaker.set({ dependency }, isOpen ? 1 : 0);
      // Rates miss a series that begins at 1.
      if (!seen.has(dependency)) duration.zero({ dependency, outcome: 'down' });
      seen.add(dependency);
    },
  };
}

/** Add the metric of the database pool. */
export function measureDatabase(database: { pool(): object }, registry: Registry, prefix: string): void {
  new Gauge({
    name: `${prefix}database_connections`,
    help: 'Connections of the pool: open, idle, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries<number>({ ...database.pool() })) this.set({ state }, count);
    },
  });
}
