import { isViemError, type ExecuteRequest } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { Endpoint } from './http/response-shapes.js';
import type { SetupRelayRequest } from './types.js';
import type { VerifiedCalls } from './verify/verify-calls.js';

/** The parts of a refusal by the service. */
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
  readonly afterLostResponse?: boolean | undefined;
}

/** The service refused a request: its error body and headers. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** Stable constant, e.g. `INSUFFICIENT_BALANCE`. */
  readonly code: string;
  /** What was wrong with this call. */
  readonly detail: string;
  /** For example `violations`, `aaCode`, `revertReason`, `missing`; `accepts` when payment is required. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What to do next, in one sentence. */
  readonly nextAction: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Whether an earlier attempt of this request may have been executed: its response was lost. */
  readonly afterLostResponse: boolean;

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
    this.afterLostResponse = parts.afterLostResponse ?? false;
  }
}

/**
 * The service sent no response: it was unreachable or too slow, or a load balancer responded 5xx in its place. The
 * request may have been executed. Execute and setupRelay may be sent again.
 */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';

  constructor(
    /** In a few words, without the URL. */
    readonly reason: string,
    cause?: unknown,
    readonly retryAfterSeconds?: number,
  ) {
    super(`The service sent no response: ${reason}`, { cause });
  }
}

/**
 * A response that does not match the interface: cut short, too long, of another version, or from a proxy. The request may have
 * been executed. Execute and setupRelay may be sent again. The error quotes nothing of the response.
 */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
  /** What to do next, in one sentence. */
  readonly nextAction =
    'Check that baseUrl is the URL of the service, that no proxy responds in its place, and that this client has its version.';

  constructor(
    /** Method and path, e.g. `POST /v1/yield/discover`. */
    readonly endpoint: Endpoint,
    /** In a few words: the field that is wrong, and why. */
    readonly problem: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(`The response of ${endpoint} does not match the interface: ${problem}`);
  }
}

/** The agent's own node failed. The message names the read, where one is known, and never the URL. */
export class NodeFailedError extends Error {
  override readonly name = 'NodeFailedError';
  readonly code = 'NODE_FAILED';

  constructor(reason: string, cause: unknown) {
    super(`The node failed: ${reason}`, { cause });
  }
}

/** Run calls of a node and translate its failure. The URL stays out of the error: it may carry a credential. */
export async function callNode<T>(call: () => Promise<T>, read = ''): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isViemError(error)) throw new NodeFailedError(`${read && `${read}: `}${error.shortMessage}`, error);
    throw error;
  }
}

/** Why a flow cannot begin or continue. */
export type FlowErrorCode =
  | 'UNKNOWN_CHAIN'
  | 'CHAIN_MISMATCH'
  | 'UNKNOWN_ASSET'
  | 'NO_VAULT'
  | 'NO_POSITION'
  | 'INSUFFICIENT_FUNDS'
  | 'SETUP_REVERTED'
  | 'SETUP_NOT_FINAL';

/** The flow cannot begin or continue. No intent has been signed. */
export class FlowError extends Error {
  override readonly name = 'FlowError';

  constructor(
    readonly code: FlowErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/**
 * A setup is signed and sent, and its outcome is unknown. Give `request` to `client.setupRelay` again while its ticket is
 * valid, or wait until `txHash` is in a block. Then call `execute` again. If neither helps, call `execute` again anyway:
 * a new setup has the same account nonce, so only one of the two can be included.
 */
export class SetupPendingError extends Error {
  override readonly name = 'SetupPendingError';

  constructor(
    readonly request: SetupRelayRequest,
    readonly txHash: Hex,
    cause: unknown,
  ) {
    super(`The outcome of the setup ${txHash} is unknown`, { cause });
  }
}

/**
 * An intent is signed and sent, and its outcome is unknown. Give `request` to `resolveIntent` later: it is never
 * submitted twice. Do not prepare a replacement before `expiry`.
 */
export class IntentPendingError extends Error {
  override readonly name = 'IntentPendingError';

  constructor(
    readonly request: ExecuteRequest,
    /** Unix seconds after which the intent can no longer be included. */
    readonly expiry: number,
    cause: unknown,
  ) {
    super('The outcome of a signed intent is unknown', { cause });
  }
}

/**
 * Plain calls were not executed. `NOT_SENT`: the wallet refused a call. `REVERTED`: it cost only gas. The allowance of the
 * router may remain; `executeCalls` may be called again.
 */
export class CallsFailedError extends Error {
  override readonly name = 'CallsFailedError';

  constructor(
    readonly code: 'NOT_SENT' | 'REVERTED',
    /** The transactions that were included. */
    readonly txHashes: readonly Hex[],
    cause?: unknown,
  ) {
    super(`The calls were not executed: ${code}`, { cause });
  }
}

/**
 * Plain calls may have been sent, and their outcome is unknown. Check it before you call `executeCalls` again: by
 * `wallet_getCallsStatus` of `batchId`, by the receipt of `txHashes[pendingCall]`, or in the history of the wallet.
 */
export class CallsPendingError extends Error {
  override readonly name = 'CallsPendingError';
  /** The batch; `undefined` for single calls. */
  readonly batchId: string | undefined;
  /** The index of the open call in `verified.calls`; `undefined` for a batch. Later calls were not sent. */
  readonly pendingCall: number | undefined;

  constructor(
    readonly verified: VerifiedCalls,
    /** The transactions whose hash is known, in the order of the calls. */
    readonly txHashes: readonly Hex[],
    { batchId, pendingCall }: { readonly batchId?: string; readonly pendingCall?: number },
    cause: unknown,
  ) {
    super('The outcome of plain calls is unknown: check the wallet before you send them again', { cause });
    this.batchId = batchId;
    this.pendingCall = pendingCall;
  }
}

const again = 'Call execute again.';
const failures = {
  REVERTED: { what: 'it reverted and cost only its gas', nextAction: again },
  NONCE_USED: {
    what: 'another operation of the wallet used its nonce',
    nextAction:
      'Check txHash first: it may be an earlier intent of this operation, which is then executed already.',
  },
  EXPIRED: { what: 'it expired before a block included it', nextAction: again },
} as const;

/**
 * A signed intent had no effect and never will. After `REVERTED` and `EXPIRED`, `execute` may be called again. After
 * `NONCE_USED`, check `txHash` first: that operation may be an earlier intent of the same request, and another call would
 * do it twice.
 */
export class IntentFailedError extends Error {
  override readonly name = 'IntentFailedError';
  /** What to do next, in one sentence. */
  readonly nextAction: string;

  constructor(
    readonly code: keyof typeof failures,
    /** The transaction that reverted, or the one that used the nonce; undefined for `EXPIRED`. */
    readonly txHash: Hex | undefined,
    cause: unknown,
  ) {
    const { what, nextAction } = failures[code];
    super(`The signed intent was not executed: ${what}`, { cause });
    this.nextAction = nextAction;
  }
}
