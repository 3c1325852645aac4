import type { ErrorCode } from '@yield-vault/protocol';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** One answered request. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of the route, never the path: a label must not grow with what callers send. */
  readonly route: string;
  readonly statusCode: number;
  readonly seconds: number;
}

export interface HttpMetrics {
  readonly contentType: string;
  readonly observe: (request: AnsweredRequest) => void;
  readonly countError: (code: ErrorCode) => void;
  /** Prometheus text. */
  readonly render: () => Promise<string>;
}

/**
 * Create the metrics that every server has: those of the process, requests and errors.
 *
 * @param prefix - starts every name, e.g. `yield_vault_`
 * @returns the metrics, and the registry for those of the server itself
 */
export function createHttpMetrics(prefix: string): { metrics: HttpMetrics; registry: Registry } {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix });
  const duration = new Histogram({
    name: `${prefix}http_request_duration_seconds`,
    help: 'Time from a request to its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 180],
    registers,
  });
  const errors = new Counter({
    name: `${prefix}errors_total`,
    help: 'Error answers by code.',
    labelNames: ['code'],
    registers,
  });
  return {
    registry,
    metrics: {
      contentType: registry.contentType,
      observe: ({ method, route, statusCode, seconds }) =>
        duration.observe({ method, route, status: statusCode }, seconds),
      countError: (code) => errors.inc({ code }),
      render: () => registry.metrics(),
    },
  };
}
