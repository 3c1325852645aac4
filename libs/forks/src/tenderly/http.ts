import { ForkNotRunningError } from '@yield-vault/protocol';
import {
  ExponentialBackoff,
  handleWhenResult,
  retry,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import { Agent, request } from 'undici';
import { connectionFailed } from '../rpc/connection-failed.js';
import { tenderlyDetails } from './as-tenderly-error.js';

const retries = 2;
const connectionsPerHost = 16;
const maxAnswerBytes = 64 * 1024 * 1024;
const retryAfterSeconds = 5;

/** What is sent. */
export interface HttpQuestion {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** May be sent again when it is not known whether it arrived. */
  readonly isIdempotent: boolean;
  /** Longest time for an answer, repetitions included. */
  readonly deadlineMs: number;
}

/** What came back, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  /** Parsed; undefined when it is not JSON. */
  readonly body: unknown;
  /** What the server asks for. */
  readonly retryAfterSeconds?: number;
}

/** Sends JSON and reads JSON. */
export interface Http {
  /**
   * @throws {ForkNotRunningError} no answer within the deadline; its text names no URL
   */
  ask(question: HttpQuestion): Promise<HttpAnswer>;
  /** End every connection. */
  close(): Promise<void>;
}

/** Make the HTTP client: a deadline per question, and a small retry where repeating is harmless. */
export function createHttp(): Http {
  const agent = new Agent({
    connections: connectionsPerHost,
    maxResponseSize: maxAnswerBytes,
    connect: { timeout: 5_000 },
  });

  return {
    async ask(question) {
      const policy = wrap(
        timeout(question.deadlineMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false }),
        question.isIdempotent ? againOnFailure : againWhenRefused,
      );
      try {
        return await policy.execute(({ signal }) => send(agent, question, signal));
      } catch (error) {
        const reason = error instanceof TaskCancelledError ? 'timed out' : connectionFailed(error);
        throw new ForkNotRunningError({
          detail: `Tenderly: ${reason}.`,
          details: tenderlyDetails,
          retryAfterSeconds,
          cause: error,
        });
      }
    },
    close: () => agent.destroy(),
  };
}

const backoff = () => new ExponentialBackoff({ initialDelay: 100, maxDelay: 1_000 });
const isRefused = (answer: unknown) => (answer as HttpAnswer).status === 429;
const isUnusable = (answer: unknown) => {
  const { status, body } = answer as HttpAnswer;
  return status === 429 || status >= 500 || (status === 200 && body === undefined);
};
// A rate limit says that nothing was done, so that everything may be sent again.
const againWhenRefused = retry(handleWhenResult(isRefused), { maxAttempts: retries, backoff: backoff() });
const againOnFailure = retry(handleWhenResult(isUnusable).orWhen(isNetworkError), {
  maxAttempts: retries,
  backoff: backoff(),
});

async function send(
  dispatcher: Agent,
  { method, url, headers, body }: HttpQuestion,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const answer = await request(url, {
    dispatcher,
    method,
    signal,
    headers: { accept: 'application/json', ...(body !== undefined && jsonType), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const seconds = Number(answer.headers['retry-after'] ?? NaN);
  return {
    status: answer.statusCode,
    body: parse(await answer.body.text()),
    ...(seconds > 0 && { retryAfterSeconds: Math.ceil(seconds) }),
  };
}

const jsonType = { 'content-type': 'application/json' };

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isNetworkError(error: Error): boolean {
  return !(error instanceof TaskCancelledError);
}
