import type { ServiceError } from '@yield-vault/protocol';
import { statusOf } from './error-status.js';

const defaultSeconds = 5;

/** Seconds for the Retry-After header; `undefined` where the status has none, or waiting does not help. */
export function retryAfterSeconds(error: ServiceError): number | undefined {
  const status = statusOf(error);
  if (!error.retryable || (status !== 503 && status !== 429)) return undefined;
  return Math.max(1, Math.ceil(error.retryAfterSeconds ?? defaultSeconds));
}
