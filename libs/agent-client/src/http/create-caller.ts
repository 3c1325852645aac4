import { DelegateBackoff, handleWhen, retry, type RetryPolicy } from 'cockatiel';
import { ApiError, MalformedResponseError, ServiceUnreachableError } from '../errors.js';
import { leavesUnknown, readResponse, readText, requestsPayment, type RawResponse } from './read-response.js';
import type { Endpoint } from './response-shapes.js';

const priced: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'POST /v1/yield/discover',
  'POST /v1/yield/prepare',
  'POST /v1/yield/gasless-setup',
  'GET /v1/yield/calls',
]);
const paymentRefused =
  'The signed payment was not accepted, and can still be charged. Wait 10 minutes, then check the USDC of the payer before you call again.';

const firstDelayMs = 250;
const longestDelayMs = 30_000;

/** A 402 as it was received. */
export interface PaymentDemand {
  readonly url: string;
  /** A header of the response; `PAYMENT-REQUIRED` holds the terms of x402 v2 in base64. */
  readonly header: (name: string) => string | null;
  /** The body of the response: the terms of x402 v1. */
  readonly body: unknown;
}

/**
 * Checks the terms and returns the headers of a payment (`PAYMENT-SIGNATURE` or `X-PAYMENT`). It throws when the price
 * is too high, and the call throws the same. It is called once per request, however often that request is sent.
 */
export type Payer = (demand: PaymentDemand) => Promise<Readonly<Record<string, string>>>;

/**
 * - `repeatable`: sending it again changes nothing, so it is sent again when no response arrived.
 * - `once`: sent again only where the service did nothing for certain.
 */
export type Safety = 'repeatable' | 'once';

// The service responds within 180 s, if only to say that it is still waiting.
const defaultTimeoutMs = 190_000;
const defaultRetries = 3;

/** Where the service is and how it is called. */
export interface AgentClientOptions {
  /** For example `https://yield.example`. */
  readonly baseUrl: string;
  /**
   * Pays for discover, prepare, gaslessSetup and calls where the deployment requires it; without it a 402 is an `ApiError`.
   * Nothing else is paid, whatever the service asks.
   */
  readonly payer?: Payer;
  /** How often a request is sent again where that may help, unless `Retry-After` exceeds 30 s; 3 by default. */
  readonly retries?: number;
  /** Longest time that one response may take; 190 s by default. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface Call {
  /** Value of `{…}` in the path. */
  readonly id?: string;
  readonly query?: object;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly safety?: Safety;
}

/**
 * Sends a request, again where that may help, and returns the body of the response.
 *
 * @throws {ApiError | ServiceUnreachableError | MalformedResponseError} and what the payer throws
 */
export type Caller = <Body>(endpoint: Endpoint, call?: Call) => Promise<Body>;

/**
 * Create the function that sends every request. It pays where payment is required and repeats what may be repeated.
 * Every repetition carries the same payment, so a request is never paid twice.
 */
export function createCaller(options: AgentClientOptions): Caller {
  const { baseUrl, payer, retries = defaultRetries, timeoutMs = defaultTimeoutMs } = options;
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const policies = { repeatable: createRetry('repeatable', retries), once: createRetry('once', retries) };
  const base = baseUrl.replace(/\/+$/, '');

  return async <Body>(endpoint: Endpoint, { id, query, body, safety = 'repeatable' }: Call = {}) => {
    const [method, path] = endpoint.split(' ') as [string, string];
    const url = `${base}${withId(path, id)}${toQuery(query)}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    let payment: Readonly<Record<string, string>> | undefined;
    let afterLostResponse = false;

    const send = async (): Promise<RawResponse> => {
      try {
        const request = new Request(url, {
          method,
          headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...payment },
          body: text,
          // A redirect would send signatures and payments to another server.
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        });
        const response = await fetch(request);
        return { response, body: parseJson(await readText(endpoint, response)) };
      } catch (error) {
        if (error instanceof MalformedResponseError) throw error;
        throw new ServiceUnreachableError(reasonOf(error), error);
      }
    };
    const attempt = async () => {
      let raw = await send();
      if (payer && !payment && priced.has(endpoint) && requestsPayment(raw)) {
        const { response, body: terms } = raw;
        payment = await payer({
          url: response.url,
          header: (name) => response.headers.get(name),
          body: terms,
        });
        raw = await send();
      }
      if (payment && requestsPayment(raw)) Object.assign(raw.body as object, { nextAction: paymentRefused });
      return readResponse<Body>(endpoint, raw, afterLostResponse);
    };
    return policies[safety].execute(() =>
      attempt().catch((error: unknown) => {
        afterLostResponse ||= leavesUnknown(error);
        throw error;
      }),
    );
  };
}

function withId(path: string, id = ''): string {
  return path.replace(/\{\w+\}/, () => encodeURIComponent(id));
}

function toQuery(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][]).toString()}`;
}

const deepest = 100;

function parseJson(text: string): unknown {
  let depth = 0;
  // Deeper values would exhaust the stack of whatever prints them.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token.length === 1) depth -= 1;
    if (depth > deepest) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    // The error would quote the body.
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return (error as Partial<Error>).name === 'TimeoutError' ? 'timed out' : 'connection failed';
}

/** Send a request again while that may help, and wait as long as `Retry-After` says. Above 30 s, fail at once. */
function createRetry(safety: Safety, retries: number): RetryPolicy {
  return retry(
    handleWhen((error) => mayRepeat(error, safety) && waitMs(error) <= longestDelayMs),
    {
      maxAttempts: retries,
      backoff: new DelegateBackoff(({ attempt, result }) => {
        const error = 'error' in result ? result.error : undefined;
        const jittered = firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
        return Math.max(waitMs(error), Math.min(jittered, longestDelayMs));
      }),
    },
  );
}

function mayRepeat(error: unknown, safety: Safety): boolean {
  if (error instanceof ApiError) return error.retryable && (safety === 'repeatable' || !leavesUnknown(error));
  return safety === 'repeatable' && isLostResponse(error);
}

function isLostResponse(error: unknown): error is ServiceUnreachableError | MalformedResponseError {
  return error instanceof ServiceUnreachableError || error instanceof MalformedResponseError;
}

function waitMs(error: unknown): number {
  const seconds = error instanceof ApiError || isLostResponse(error) ? error.retryAfterSeconds : undefined;
  return (seconds ?? 0) * 1_000;
}
