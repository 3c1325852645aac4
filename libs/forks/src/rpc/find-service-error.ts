import { ServiceError } from '@yield-vault/protocol';
import { BaseError } from 'viem';

/** Find the error of ours that a client of viem wrapped. */
export function findServiceError(error: unknown): ServiceError | undefined {
  const found = error instanceof BaseError ? error.walk((cause) => cause instanceof ServiceError) : error;
  return found instanceof ServiceError ? found : undefined;
}
