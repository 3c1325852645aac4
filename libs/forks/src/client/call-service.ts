import { setMaxListeners } from 'node:events';
import { sendHttp, type HttpResponse } from '@yield-vault/chains';
import {
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  FundingFailedError,
  InvalidParametersError,
  isNamed,
  NotFoundError,
  UpstreamUnavailableError,
  type ServiceError,
  type ServiceErrorOptions,
} from '@yield-vault/protocol';
import { ExponentialBackoff, handleType, retry } from 'cockatiel';
import { z } from 'zod';
import { parseJson } from '../json-rpc.js';

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Whether the call may be repeated when the connection fails. */
  readonly isRepeatable?: boolean;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the fork service over HTTP and converts its errors. */
export interface ServiceCalls {
  /**
   * Make a call.
   *
   * @returns the parsed response
   * @throws {NotFoundError} the fork does not exist
   * @throws {ForkNotRunningError} the service does not respond
   * @throws {UpstreamUnavailableError} the service refuses the credential, or its response is invalid
   * @throws {ServiceError} another error of the service
   */
  call<T>(call: ServiceCall, schema: z.ZodType<T>): Promise<T>;
  /** End every call. */
  close(): void;
}

/** The connection failed before a response. */
class ConnectionError extends Error {}

const repeat = retry(handleType(ConnectionError), {
  maxAttempts: 2,
  backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 500 }),
});

/** Make the calls of a fork service. `timeoutMs` limits one attempt. */
export function createServiceCalls(service: {
  readonly url: string;
  readonly adminCredential: string;
  readonly timeoutMs: number;
}): ServiceCalls {
  const closing = new AbortController();
  // One listener for each call, removed when it ends.
  setMaxListeners(0, closing.signal);

  const send = async (call: ServiceCall): Promise<HttpResponse> => {
    const { method, path, body, deadlineMs = service.timeoutMs, signal } = call;
    const signals = [signal, closing.signal];
    try {
      return await sendHttp(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${service.adminCredential}` },
        body: body && JSON.stringify(body),
        deadlineMs,
        signals,
      });
    } catch (cause) {
      // The service may have done the work, so only a failed connection is repeated.
      if (signals.some((each) => each?.aborted) || isNamed(cause, 'TimeoutError')) throw serviceDown(cause);
      throw new ConnectionError('The connection to the fork service failed.', { cause });
    }
  };

  return {
    async call(call, schema) {
      const response = await (call.isRepeatable ? repeat.execute(() => send(call)) : send(call)).catch(
        (error: unknown) => {
          throw error instanceof ConnectionError ? serviceDown(error.cause) : error;
        },
      );
      if (response.status < 200 || response.status >= 300) throw asServiceError(response);
      const parsed = schema.safeParse(response.status === 204 ? undefined : parseJson(response.body));
      if (!parsed.success) throw serviceBroken(parsed.error);
      return parsed.data;
    },
    close: () => closing.abort(),
  };
}

const details = { dependency: 'fork-service' } as const;

function serviceDown(cause: unknown): ForkNotRunningError {
  const detail = 'The fork service does not respond.';
  return new ForkNotRunningError({ detail, details, retryAfterSeconds: 2, cause });
}

/** Build the error for an invalid response. */
export function serviceBroken(cause: unknown): UpstreamUnavailableError {
  const detail = 'The response of the fork service is invalid.';
  return new UpstreamUnavailableError({ detail, details, cause });
}

const errorSchema = z.object({
  code: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  nextAction: z.string(),
  details: z.record(z.string(), z.json()).default({}),
});

/** Errors that are passed on. */
const passedOn: Readonly<Record<string, new (options: ServiceErrorOptions) => ServiceError>> = {
  FORK_CAPACITY: ForkCapacityError,
  FORK_NOT_RUNNING: ForkNotRunningError,
  FUNDING_FAILED: FundingFailedError,
  INVALID_PARAMETERS: InvalidParametersError,
  NOT_FOUND: NotFoundError,
  UPSTREAM_UNAVAILABLE: UpstreamUnavailableError,
};

function asServiceError({ status, headers, body }: HttpResponse): ServiceError {
  if (status === 401 || status === 403) {
    return new UpstreamUnavailableError({
      detail: 'The fork service refuses the credential of this deployment.',
      details,
      cause: new Error(`The fork service responded ${status}: check forks.service.adminCredential.`),
    });
  }
  const parsed = errorSchema.safeParse(parseJson(body));
  if (parsed.success) {
    const { code, detail, details, retryable, nextAction } = parsed.data;
    const retryAfterSeconds = Number(headers['retry-after']) || undefined;
    const occurrence = { detail, details, retryAfterSeconds };
    // The chain is active in this deployment and missing in the service, which the caller cannot change.
    if (code === 'CHAIN_NOT_ACTIVE') return new ForksNotConfiguredError(occurrence);
    const ErrorClass = passedOn[code];
    if (ErrorClass) return new ErrorClass({ ...occurrence, retryable, nextAction });
  }
  const cause = new Error(`The fork service responded ${status}: ${body.toString().slice(0, 200)}`);
  // A balancer responds so while the service is down.
  return status === 502 || status === 503 || status === 504 ? serviceDown(cause) : serviceBroken(cause);
}
