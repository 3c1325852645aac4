import { UpstreamFailure } from '@yield-vault/chains';
import {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  DelegateBackoff,
  ExponentialBackoff,
  handleWhen,
  type IRetryBackoffContext,
  retry,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import type { z } from 'zod';

const retries = 2;
const firstPauseMs = 250;
const failuresUntilOpen = 3;
const pauses = { initialDelay: 5_000, maxDelay: 60_000 };

export interface JsonClientOptions {
  /** Name of the service for errors and logs, e.g. `defillama-coins`. */
  readonly name: string;
  /** Deadline of one request with its retries (15,000). */
  readonly deadlineMs?: number;
  /** Largest accepted response in bytes (16 MiB). */
  readonly maxBytes?: number;
}

/** Reads JSON of one service over HTTP. Requests are retried, so they must not change anything there. */
export interface JsonClient {
  /** @throws {UpstreamFailure} without a response of the wanted shape before the deadline; names no URL */
  get<T>(url: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
  /** As `get`, with a body. */
  post<T>(url: string, body: unknown, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
}

/** A failure after which a retry may succeed. */
class PassingFailure extends UpstreamFailure {}

/**
 * Create the client of one service: one deadline, few retries that obey Retry-After, a circuit breaker, and a limit on
 * the size of responses. Responses that do not fit the schema are refused.
 */
export function createJsonClient(options: JsonClientOptions): JsonClient {
  const { name, deadlineMs = 15_000, maxBytes = 16 * 1024 * 1024 } = options;
  const policy = wrap(
    circuitBreaker(
      handleWhen((error) => error instanceof PassingFailure || error instanceof TaskCancelledError),
      { breaker: new ConsecutiveBreaker(failuresUntilOpen), halfOpenAfter: new ExponentialBackoff(pauses) },
    ),
    timeout(deadlineMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false }),
    retry(
      handleWhen((error) => error instanceof PassingFailure && waitMs(error) < deadlineMs),
      { maxAttempts: retries, backoff: new DelegateBackoff(pauseMs) },
    ),
  );

  const send = async (url: string, body: string | undefined, signal: AbortSignal): Promise<unknown> => {
    try {
      const response = await fetch(url, {
        signal,
        body: body ?? null,
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      });
      if (response.status === 200) return JSON.parse(await readText(name, response, maxBytes));
      await response.body?.cancel();
      throw refusal(name, response.status, response.headers.get('retry-after'));
    } catch (error) {
      throw asFailure(name, error as Error);
    }
  };

  const read = async <T>(url: string, schema: z.ZodType<T>, outer?: AbortSignal, body?: string) => {
    try {
      const parsed = schema.safeParse(await policy.execute(({ signal }) => send(url, body, signal), outer));
      if (parsed.success) return parsed.data;
      throw new UpstreamFailure(name, 'the response has another shape');
    } catch (error) {
      outer?.throwIfAborted();
      if (error instanceof TaskCancelledError) throw new UpstreamFailure(name, 'timed out');
      if (error instanceof BrokenCircuitError)
        throw new UpstreamFailure(name, 'failed too often: requests pause for up to a minute');
      throw error;
    }
  };

  return {
    get: (url, schema, signal) => read(url, schema, signal),
    post: (url, body, schema, signal) => read(url, schema, signal, JSON.stringify(body)),
  };
}

const waitMs = ({ retryAfterSeconds = 0 }: UpstreamFailure): number => retryAfterSeconds * 1_000;

function pauseMs({ attempt, result }: IRetryBackoffContext<unknown>): number {
  const wanted = 'error' in result && result.error instanceof PassingFailure ? waitMs(result.error) : 0;
  return Math.max(wanted, firstPauseMs * 2 ** (attempt - 1));
}

function refusal(name: string, status: number, retryAfter: string | null): UpstreamFailure {
  if (status !== 429 && status < 500) return new UpstreamFailure(name, `HTTP status ${status}`);
  const seconds = Math.ceil(Number(retryAfter ?? 0));
  const reason = status === 429 ? 'rate limit exceeded' : `HTTP status ${status}`;
  return new PassingFailure(name, reason, seconds > 0 ? seconds : undefined);
}

async function readText(name: string, { body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UpstreamFailure(name, 'the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** `fetch` names the failure of a connection in the cause of its error. */
function asFailure(name: string, error: Error): Error {
  if (error instanceof UpstreamFailure || error.name === 'AbortError') return error;
  if (error instanceof SyntaxError) return new PassingFailure(name, 'the response is not JSON');
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return new PassingFailure(name, `connection failed${typeof code === 'string' ? ` (${code})` : ''}`);
}
