import type { ForkRecord } from '@yield-vault/forks';
import { createHttpMetrics, type HttpMetrics } from '@yield-vault/server';
import { Counter, Gauge, Histogram } from 'prom-client';

/** What is counted about forks. */
export interface ForkMetrics {
  readonly countCreation: (fork: Pick<ForkRecord, 'chain' | 'kind'>, seconds: number) => void;
  /** @param code - of the error */
  readonly countFailure: (operation: string, chain: string, code: string) => void;
  readonly countRpc: (target: string, status: number) => void;
}

export interface ServiceMetrics extends ForkMetrics {
  readonly http: HttpMetrics;
}

const prefix = 'fork_service_';

/**
 * Create the metrics of the service.
 *
 * @param list - the forks that there are when the metrics are read
 */
export function createMetrics(list: () => Promise<readonly ForkRecord[]>): ServiceMetrics {
  const { metrics: http, registry } = createHttpMetrics(prefix);
  const registers = [registry];
  new Gauge({
    name: `${prefix}forks`,
    help: 'Forks by chain, kind and status.',
    labelNames: ['chain', 'kind', 'status'],
    registers,
    async collect() {
      const forks = await list();
      this.reset();
      for (const { chain, kind, status } of forks) this.inc({ chain, kind, status });
    },
  });
  const creations = new Histogram({
    name: `${prefix}fork_creation_seconds`,
    help: 'Time to create a fork, provisioning included; its count is that of the forks created.',
    labelNames: ['chain', 'kind'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const failures = new Counter({
    name: `${prefix}fork_failures_total`,
    help: 'Operations on forks that failed.',
    labelNames: ['operation', 'chain', 'code'],
    registers,
  });
  const rpc = new Counter({
    name: `${prefix}rpc_requests_total`,
    help: 'Plain JSON-RPC requests by chain (or "fork", for one by its id) and HTTP status.',
    labelNames: ['target', 'status'],
    registers,
  });
  return {
    http,
    countCreation: ({ chain, kind }, seconds) => creations.observe({ chain, kind }, seconds),
    countFailure: (operation, chain, code) => failures.inc({ operation, chain, code }),
    countRpc: (target, status) => rpc.inc({ target, status }),
  };
}
