import type { ErrorCode, ServiceError } from '@yield-vault/protocol';

/** HTTP status of every error of the interface. */
export const errorStatus = {
  INVALID_PARAMETERS: 400,
  CHAIN_NOT_ACTIVE: 400,
  UNKNOWN_VAULT: 400,
  ASSET_MISMATCH: 400,
  VAULT_AT_CAPACITY: 400,
  DEPOSITS_PAUSED: 503,
  DEPOSIT_CAP_REACHED: 400,
  INSUFFICIENT_BALANCE: 400,
  NO_SUITABLE_VAULTS: 400,
  PAYMENT_REQUIRED: 402,
  SETUP_TICKET_REJECTED: 400,
  SETUP_TRANSACTION_REJECTED: 400,
  ALREADY_SET_UP: 400,
  SETUP_TRANSACTION_REVERTED: 400,
  TRANSACTION_VALIDATION_FAILED: 400,
  PREFLIGHT_SIMULATION_FAILED: 400,
  TRANSACTION_SUBMISSION_FAILED: 400,
  TESTING_CAP_EXCEEDED: 400,
  UNAUTHORIZED: 401,
  WALLET_NOT_ALLOWED: 403,
  FORKS_NOT_CONFIGURED: 503,
  FORK_NOT_RUNNING: 503,
  UPSTREAM_UNAVAILABLE: 503,
  TRANSACTION_PENDING: 503,
  PAYMENT_IN_USE: 409,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  DATA_STALE: 503,
  FORK_CAPACITY: 503,
  FUNDING_FAILED: 503,
  NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL: 500,
} as const satisfies Record<ErrorCode, number>;

/** Errors whose status depends on the occurrence: a retryable one is not the caller's fault. */
const unavailableWhenRetryable: readonly ErrorCode[] = ['TRANSACTION_SUBMISSION_FAILED'];

/** Every HTTP status of an error code. */
export function statusesOf(code: ErrorCode): readonly number[] {
  return unavailableWhenRetryable.includes(code) ? [errorStatus[code], 503] : [errorStatus[code]];
}

/** HTTP status of one occurrence of an error. */
export function statusOf(error: ServiceError): number {
  return error.retryable && unavailableWhenRetryable.includes(error.code) ? 503 : errorStatus[error.code];
}

const defaultRetrySeconds = 5;

/** Seconds for the Retry-After header; `undefined` where the status has none, or waiting does not help. */
export function retryAfterSeconds(error: ServiceError): number | undefined {
  const status = statusOf(error);
  if (!error.retryable || (status !== 503 && status !== 429)) return undefined;
  return Math.max(1, Math.ceil(error.retryAfterSeconds ?? defaultRetrySeconds));
}
