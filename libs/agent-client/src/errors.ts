/** What is known of a refusal. */
export interface ApiErrorParts {
  /** HTTP status. */
  readonly status: number;
  /** The documented sentence. */
  readonly error: string;
  readonly code: string;
  readonly detail?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryable?: boolean | undefined;
  readonly nextAction?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The service refused a request: its error body, and what its headers say. `message` has no more than that. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** Stable constant, e.g. `INSUFFICIENT_BALANCE`. */
  readonly code: string;
  /** What was wrong with this call. */
  readonly detail: string;
  /** Particulars, e.g. `violations`, `aaCode`, `revertReason`, `missing`; `accepts` when payment is required. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What to do next, in one sentence. */
  readonly nextAction: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(parts: ApiErrorParts) {
    super(`${parts.error} (${parts.code})${parts.detail ? `: ${parts.detail}` : ''}`);
    this.status = parts.status;
    this.code = parts.code;
    this.detail = parts.detail ?? '';
    this.details = parts.details ?? {};
    this.retryable = parts.retryable ?? false;
    this.nextAction = parts.nextAction ?? '';
    this.requestId = parts.requestId;
    this.retryAfterSeconds = parts.retryAfterSeconds;
  }
}

/**
 * No answer of the service came: it could not be reached, took too long, or something else answered in its place.
 * Whether the request was carried out is not known; execute and setupRelay may be sent again all the same.
 */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';

  constructor(
    /** In a few words, without the URL. */
    readonly reason: string,
    cause?: unknown,
    readonly retryAfterSeconds?: number,
  ) {
    super(`No answer of the service: ${reason}`, { cause });
  }
}
