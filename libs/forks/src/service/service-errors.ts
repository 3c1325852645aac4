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
import { parseJson } from '../rpc/parse-json.js';
import { wireErrorSchema } from './wire-schemas.js';

const details = { dependency: 'fork-service' } as const;

/** What the fork service answered. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterSeconds?: number;
}

/** The service cannot be reached, or did not answer in time. */
export function serviceDown(cause: unknown): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: 'The fork service does not answer.',
    details,
    retryAfterSeconds: 2,
    cause,
  });
}

/** The service answered something that it never should. */
export function serviceBroken(cause: unknown): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: 'The fork service gave an answer that is not understood.',
    details,
    cause,
  });
}

/** The fork that the call was for has ended. */
export function forkGone(id: string): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: 'The fork has ended; its chain has a new one, or gets one on the next use.',
    details: { forkId: id },
    retryAfterSeconds: 1,
  });
}

type ErrorClass = new (options: ServiceErrorOptions) => ServiceError;

/** Errors of the service that mean the same here. */
const passedOn: Readonly<Record<string, ErrorClass>> = {
  FORK_CAPACITY: ForkCapacityError,
  FORK_NOT_RUNNING: ForkNotRunningError,
  FUNDING_FAILED: FundingFailedError,
  INVALID_PARAMETERS: InvalidParametersError,
  NOT_FOUND: NotFoundError,
  UPSTREAM_UNAVAILABLE: UpstreamUnavailableError,
};

/** Turn an error answer of the service into the error that it stands for. */
export function asServiceError({ status, body, retryAfterSeconds }: ServiceAnswer): ServiceError {
  if (status === 401 || status === 403) {
    return new UpstreamUnavailableError({
      detail: 'The fork service does not take the credential of this deployment.',
      details,
      cause: new Error(`The fork service answered ${status}: check forks.service.adminCredential.`),
    });
  }
  const parsed = wireErrorSchema.safeParse(parseJson(body));
  if (parsed.success) {
    const { code, detail, details, retryable, nextAction } = parsed.data;
    const occurrence = { detail, details, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    // A chain of this deployment that the service has not: nothing that a caller could cure by another chain.
    if (code === 'CHAIN_NOT_ACTIVE') return new ForksNotConfiguredError(occurrence);
    const ErrorClass = passedOn[code];
    if (ErrorClass) return new ErrorClass({ ...occurrence, retryable, nextAction });
  }
  const said = new Error(`The fork service answered ${status}: ${body.slice(0, 200)}`);
  // Of a balancer whose service is down.
  return status === 502 || status === 503 || status === 504 ? serviceDown(said) : serviceBroken(said);
}
