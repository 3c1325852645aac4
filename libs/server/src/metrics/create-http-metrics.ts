import type { ErrorCode } from '@yield-vault/protocol';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** A finished request. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of the route, never the path: a label must not grow with what callers send. */
  readonly route: string;
  readonly statusCode: number;
  readonly seconds: number;
}

export interface HttpMetrics {
  /** Takes further metrics, and renders all of them. */
  readonly registry: Registry;
  readonly observe: (request: AnsweredRequest) => void;
  readonly countError: (code: ErrorCode) => void;
}

/**
 * Create the metrics of every server: process, requests and errors.
 *
 * @param prefix - starts every name, e.g. `yield_vault_`
 */
export function createHttpMetrics(prefix: string): HttpMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix });
  const duration = new Histogram({
    name: `${prefix}http_request_duration_seconds`,
    help: 'Time from a request to its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 180],
    registers,
  });
  const errors = new Counter({
    name: `${prefix}errors_total`,
    help: 'Error responses by code.',
    labelNames: ['code'],
    registers,
  });
  // Rates miss a counter that begins at 1.
  errors.inc({ code: 'INTERNAL' }, 0);
  return {
    registry,
    observe: ({ method, route, statusCode, seconds }) =>
      duration.observe({ method, route, status: statusCode }, seconds),
    countError: (code) => errors.inc({ code }),
  };
}
