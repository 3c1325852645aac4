import {
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  FundingFailedError,
  InvalidParametersError,
  NotFoundError,
  UpstreamUnavailableError,
  type ServiceError,
  type ServiceErrorOptions,
} from '@yield-vault/protocol';
import { parseJson } from '../rpc/create-json-poster.js';
import { wireErrorSchema } from './wire-schemas.js';

const details = { dependency: 'fork-service' } as const;

/** A response of the fork service. */
export interface ServiceResponse {
  readonly status: number;
  readonly body: string;
  readonly retryAfterSeconds?: number;
}

/** The service cannot be reached, or did not respond in time. */
export function serviceDown(cause: unknown): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: 'The fork service does not respond.',
    details,
    retryAfterSeconds: 2,
    cause,
  });
}

/** The response of the service is invalid. */
export function serviceBroken(cause: unknown): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: 'The response of the fork service is invalid.',
    details,
    cause,
  });
}

/** The fork of the call is gone. */
export function forkGone(id: string): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: 'The fork is gone. The next call creates a new one.',
    details: { forkId: id },
    retryAfterSeconds: 1,
  });
}

type ErrorClass = new (options: ServiceErrorOptions) => ServiceError;

/** Errors that are passed on. */
const passedOn: Readonly<Record<string, ErrorClass>> = {
  FORK_CAPACITY: ForkCapacityError,
  FORK_NOT_RUNNING: ForkNotRunningError,
  FUNDING_FAILED: FundingFailedError,
  INVALID_PARAMETERS: InvalidParametersError,
  NOT_FOUND: NotFoundError,
  UPSTREAM_UNAVAILABLE: UpstreamUnavailableError,
};

/** Convert an error response of the service. */
export function asServiceError({ status, body, retryAfterSeconds }: ServiceResponse): ServiceError {
  if (status === 401 || status === 403) {
    return new UpstreamUnavailableError({
      detail: 'The fork service refuses the credential of this deployment.',
      details,
      cause: new Error(`The fork service answered ${status}: check forks.service.adminCredential.`),
    });
  }
  const parsed = wireErrorSchema.safeParse(parseJson(body));
  if (parsed.success) {
    const { code, detail, details, retryable, nextAction } = parsed.data;
    const occurrence = { detail, details, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    // The chain is active in this deployment and missing in the service, which the caller cannot change.
    if (code === 'CHAIN_NOT_ACTIVE') return new ForksNotConfiguredError(occurrence);
    const ErrorClass = passedOn[code];
    if (ErrorClass) return new ErrorClass({ ...occurrence, retryable, nextAction });
  }
  const said = new Error(`The fork service answered ${status}: ${body.slice(0, 200)}`);
  // A balancer responds so while the service is down.
  return status === 502 || status === 503 || status === 504 ? serviceDown(said) : serviceBroken(said);
}
