import { ForkCapacityError, ForkNotRunningError, type ServiceError } from '@yield-vault/protocol';
import { findServiceError } from '../rpc/find-service-error.js';

/** Say that a fork could not be made ready; a failure that says more by itself stays what it is. */
export function asForkError(error: unknown, chain: string): ServiceError {
  const known = findServiceError(error);
  if (known instanceof ForkNotRunningError || known instanceof ForkCapacityError) return known;
  return new ForkNotRunningError({
    detail: known?.detail ?? `The fork of ${chain} could not be made ready.`,
    details: { ...known?.details, chain },
    retryAfterSeconds: known?.retryAfterSeconds ?? 2,
    cause: error,
  });
}

/** Say that a fork cannot be had because its provider is closed. */
export function providerClosed(chain: string): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: `The forks are being shut down.`,
    details: { chain },
    retryAfterSeconds: 5,
  });
}
