import { UpstreamFailure } from '@yield-vault/chains';
import {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  DelegateBackoff,
  ExponentialBackoff,
  handleWhen,
  retry,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
  type IRetryBackoffContext,
} from 'cockatiel';
import { Agent, request } from 'undici';
import type { z } from 'zod';

const defaultDeadlineMs = 15_000;
const defaultMaxBytes = 16 * 1024 * 1024;
const retries = 2;
const firstPauseMs = 250;
const failuresUntilOpen = 3;
const firstBreakMs = 5_000;
const maxBreakMs = 60_000;
const connectTimeoutMs = 5_000;

export interface JsonClientOptions {
  /** Of the service, for errors and logs, e.g. `defillama-coins`. */
  readonly name: string;
  /** Longest time that one question may take, repetitions included (15,000). */
  readonly deadlineMs?: number;
  /** Largest answer that is read (16 MiB). */
  readonly maxBytes?: number;
}

export interface QuestionOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Reads JSON of one service over HTTP. Every question may be repeated, so none may change anything there. */
export interface JsonClient {
  /** @throws {UpstreamFailure} when there is no answer in time or not one of the shape wanted; names no URL */
  get<T>(url: string, schema: z.ZodType<T>, options?: QuestionOptions): Promise<T>;
  /** As `get`, for services that take questions as a body. */
  post<T>(url: string, body: unknown, schema: z.ZodType<T>, options?: QuestionOptions): Promise<T>;
}

/** Why a question got no usable answer. */
class NoAnswer extends Error {
  constructor(
    readonly reason: string,
    /** The same question may well get an answer. */
    readonly isPassing: boolean,
    readonly retryAfterSeconds?: number,
  ) {
    super(reason);
  }
}

/**
 * Make a client of one service: a deadline over all, a small retry that obeys Retry-After, a circuit breaker, and a
 * limit on what is read. Only answers that fit the schema come through.
 */
export function createJsonClient(options: JsonClientOptions): JsonClient {
  const { name, deadlineMs = defaultDeadlineMs, maxBytes = defaultMaxBytes } = options;
  const agent = new Agent({ maxResponseSize: maxBytes, connect: { timeout: connectTimeoutMs } });
  const policy = wrap(
    circuitBreaker(handleWhen(isFailure), {
      breaker: new ConsecutiveBreaker(failuresUntilOpen),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: firstBreakMs, maxDelay: maxBreakMs }),
    }),
    timeout(deadlineMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false }),
    retry(
      handleWhen((error) => isPassing(error) && (error.retryAfterSeconds ?? 0) * 1_000 < deadlineMs),
      { maxAttempts: retries, backoff: new DelegateBackoff(pauseMs) },
    ),
  );

  const ask = async <T>(
    url: string,
    schema: z.ZodType<T>,
    { headers, signal: outer }: QuestionOptions = {},
    body?: string,
  ): Promise<T> => {
    const send = async (signal: AbortSignal): Promise<unknown> => {
      const answer = await request(url, {
        dispatcher: agent,
        method: body === undefined ? 'GET' : 'POST',
        signal,
        headers: {
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      }).catch(rethrowNetwork);
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        throw refusal(answer.statusCode, answer.headers['retry-after']);
      }
      return parseJson(await answer.body.text().catch(rethrowNetwork));
    };
    try {
      const json = await policy.execute(({ signal }) => send(signal), outer);
      const parsed = schema.safeParse(json);
      if (!parsed.success) throw new NoAnswer('the answer has another shape', false);
      return parsed.data;
    } catch (error) {
      outer?.throwIfAborted();
      if (error instanceof NoAnswer) throw new UpstreamFailure(name, error.reason, error.retryAfterSeconds);
      if (error instanceof TaskCancelledError) throw new UpstreamFailure(name, 'timed out');
      if (error instanceof BrokenCircuitError)
        throw new UpstreamFailure(name, 'failed too often and is given a pause');
      throw error;
    }
  };

  return {
    get: (url, schema, question) => ask(url, schema, question),
    post: (url, body, schema, question) => ask(url, schema, question, JSON.stringify(body)),
  };
}

const isPassing = (error: Error): error is NoAnswer => error instanceof NoAnswer && error.isPassing;
const isFailure = (error: Error): boolean => isPassing(error) || error instanceof TaskCancelledError;

function pauseMs({ attempt, result }: IRetryBackoffContext<unknown>): number {
  const wanted = 'error' in result && result.error instanceof NoAnswer ? result.error.retryAfterSeconds : 0;
  return Math.max((wanted ?? 0) * 1_000, firstPauseMs * 2 ** (attempt - 1));
}

function refusal(status: number, retryAfter: string | string[] | undefined): NoAnswer {
  const seconds = Number(retryAfter ?? NaN);
  const isPassing = status === 429 || status >= 500;
  return new NoAnswer(
    status === 429 ? 'rate limit exceeded' : `HTTP status ${status}`,
    isPassing,
    isPassing && seconds > 0 ? Math.ceil(seconds) : undefined,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoAnswer('the answer is not JSON', true);
  }
}

function rethrowNetwork(error: unknown): never {
  const code = (error as { code?: unknown }).code;
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') throw new NoAnswer('the answer is too large', false);
  if (code === 'UND_ERR_ABORTED' || (error as Error).name === 'AbortError') throw error;
  throw new NoAnswer(`connection failed${typeof code === 'string' ? ` (${code})` : ''}`, true);
}
