import type { Fork, ForkProvider, ForkRecord } from '@yield-vault/forks';
import { ServiceError } from '@yield-vault/protocol';
import { createHttpMetrics, type HttpMetrics } from '@yield-vault/server';
import { Counter, Gauge, Histogram } from 'prom-client';

/** Metrics of the service. */
export interface ForkMetrics {
  readonly http: HttpMetrics;
  readonly countCreation: (fork: Pick<ForkRecord, 'chain' | 'kind'>, seconds: number) => void;
  /** @param code The code of the error. */
  readonly countFailure: (operation: string, chain: string, code: string) => void;
  readonly countRpc: (target: string, status: number) => void;
}

const prefix = 'fork_service_';

/**
 * Create the metrics of the service.
 *
 * @param list Called when the metrics are read.
 */
export function createMetrics(list: () => Promise<readonly ForkRecord[]>): ForkMetrics {
  const http = createHttpMetrics(prefix);
  const registers = [http.registry];
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
    help: 'Time to create a fork, provisioning included.',
    labelNames: ['chain', 'kind'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const failures = new Counter({
    name: `${prefix}fork_failures_total`,
    help: 'Failed operations on forks.',
    labelNames: ['operation', 'chain', 'code'],
    registers,
  });
  const rpc = new Counter({
    name: `${prefix}rpc_requests_total`,
    help: 'Plain JSON-RPC requests by chain ("fork" for a fork id) and HTTP status.',
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

/** Measure the creation of forks, and count failures. */
export function measureForks(provider: ForkProvider, metrics: ForkMetrics): ForkProvider {
  const persistentIds = new Map<string, string>();

  const open = async (operation: string, chain: string, opening: Promise<Fork>): Promise<Fork> => {
    const startedAt = performance.now();
    try {
      const fork = await opening;
      // A persistent fork is opened many times and created once.
      if (persistentIds.get(chain) !== fork.id) {
        metrics.countCreation(fork, (performance.now() - startedAt) / 1000);
      }
      if (fork.kind === 'persistent') persistentIds.set(chain, fork.id);
      return fork;
    } catch (error) {
      metrics.countFailure(operation, chain, error instanceof ServiceError ? error.code : 'INTERNAL');
      throw error;
    }
  };

  return {
    ...provider,
    persistent: (chain) => open('persistent', chain, provider.persistent(chain)),
    create: (chain, options) => open('create', chain, provider.create(chain, options)),
  };
}
