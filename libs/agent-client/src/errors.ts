import type { Hex } from 'viem';
import type { Endpoint } from './generated/answers.js';
import type { ExecuteRequest, SetupRelayRequest } from './types.js';
import type { Refusal } from './verify/types.js';
import type { VerificationReason } from './verify/verification-reason.js';

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
  readonly afterUnanswered?: boolean | undefined;
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
  /** Whether an earlier attempt of this request may have been carried out: it went unanswered. */
  readonly afterUnanswered: boolean;

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
    this.afterUnanswered = parts.afterUnanswered ?? false;
  }
}

/**
 * No answer of the service came: it could not be reached, took too long, or a load balancer answered in its place with
 * 5xx. Whether the request was carried out is not known; execute and setupRelay may be sent again all the same.
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

/**
 * An answer that is none of the interface: half of one, of another version, or of something that answered in place of
 * the service. Whether the request was carried out is not known; execute and setupRelay may be sent again all the same.
 * Nothing of the answer is in it.
 */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';
  /** What to do next, in one sentence. */
  readonly nextAction =
    'Check that baseUrl is that of the service, with nothing in front of it that answers itself, and that this client is of its version.';

  constructor(
    /** Method and path, e.g. `POST /v1/yield/discover`. */
    readonly endpoint: Endpoint,
    /** In a few words: the field that is wrong, and why. */
    readonly problem: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(`${endpoint} was not answered as the interface says: ${problem}`);
  }
}

/** What the service gave to sign is not to be signed; nothing has been. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly reason: VerificationReason;
  /** Path of the field that is wrong. */
  readonly field: string;
  readonly detail: string;

  constructor({ reason, field, detail }: Refusal) {
    super(`${reason} at ${field}: ${detail}`);
    this.reason = reason;
    this.field = field;
    this.detail = detail;
  }
}

/** Why a journey cannot begin or go on. */
export type JourneyErrorCode =
  | 'UNKNOWN_CHAIN'
  | 'CHAIN_MISMATCH'
  | 'UNKNOWN_ASSET'
  | 'NO_VAULT'
  | 'NO_POSITION'
  | 'SETUP_REVERTED'
  | 'SETUP_NOT_FINAL';

/** The journey cannot begin or go on. No intent has been signed. */
export class JourneyError extends Error {
  override readonly name = 'JourneyError';

  constructor(
    readonly code: JourneyErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/**
 * A setup is signed and sent, and nobody knows yet what became of it. Give `request` to `client.setupRelay` again while
 * its ticket is valid, or wait until `txHash` is in a block; then carry the order out again. Where neither helps, carry it
 * out again all the same: as long as this setup is in no block a new one has the same account nonce, so that only one of
 * them can be included.
 */
export class SetupPendingError extends Error {
  override readonly name = 'SetupPendingError';

  constructor(
    readonly request: SetupRelayRequest,
    readonly txHash: Hex,
    cause: unknown,
  ) {
    super(`The outcome of the setup ${txHash} is not known yet`, { cause });
  }
}

/**
 * An intent is signed and sent, and nobody knows yet what became of it. Give `request` to `settleIntent` later: it is
 * never submitted twice. Prepare nothing new in its place before `expiry`.
 */
export class IntentPendingError extends Error {
  override readonly name = 'IntentPendingError';

  constructor(
    readonly request: ExecuteRequest,
    /** Unix seconds after which the intent cannot be included any more. */
    readonly expiry: number,
    cause: unknown,
  ) {
    super('The outcome of a signed intent is not known yet', { cause });
  }
}

const again = 'Carry the order out again.';
const failures = {
  REVERTED: { what: 'it reverted, and cost no more than its gas', nextAction: again },
  NONCE_USED: {
    what: 'another operation of the wallet used its nonce',
    nextAction:
      'Look at txHash first: it may be an earlier intent of this order, and then the order is carried out already.',
  },
  EXPIRED: { what: 'it expired before any block included it', nextAction: again },
} as const;

/**
 * The chain says that a signed intent did nothing, and never will. After `REVERTED` and `EXPIRED` the order may be
 * carried out again. After `NONCE_USED` look at `txHash` first: the operation that used the nonce may be an earlier
 * intent of this very order, and carrying it out again would do it twice.
 */
export class IntentFailedError extends Error {
  override readonly name = 'IntentFailedError';
  /** What to do next, in one sentence. */
  readonly nextAction: string;

  constructor(
    readonly code: keyof typeof failures,
    /** The transaction that it reverted in, or that of the operation which used its nonce; none of `EXPIRED`. */
    readonly txHash: Hex | undefined,
    cause: unknown,
  ) {
    const { what, nextAction } = failures[code];
    super(`The signed intent was not executed: ${what}`, { cause });
    this.nextAction = nextAction;
  }
}
