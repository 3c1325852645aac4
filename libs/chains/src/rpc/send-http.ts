import { Agent } from 'undici';
import { TimeoutError } from 'viem';
import { splitCredentials } from './split-credentials.js';

/** An HTTP request with a deadline. */
export interface HttpRequest {
  /** `POST` by default. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** JSON text. */
  readonly body?: string | Uint8Array | undefined;
  /** Longest time for connection, headers and body together. */
  readonly deadlineMs: number;
  /** Each of them ends the request. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** Longest response, in bytes. No limit by default. */
  readonly maxBytes?: number;
}

/** The response to an HTTP request. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The response is longer than `maxBytes`. */
export class ResponseTooLongError extends Error {
  override readonly name = 'ResponseTooLongError';
}

// Shorter than the deadlines of calls: a call that got no connection is known to be unsent.
const connectTimeoutMs = 2_000;
// No limit of connections: a slow request must not delay others.
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } });

/**
 * Send an HTTP request over a pooled connection. Credentials in the address become a header.
 *
 * @throws {TimeoutError} of viem, after the deadline
 * @throws {ResponseTooLongError} when the response is too long
 * @throws {Error} of undici when the connection fails; the reason of a signal that is aborted
 */
export async function sendHttp(address: string, request: HttpRequest): Promise<HttpResponse> {
  const { method = 'POST', headers, body, deadlineMs, signals = [], maxBytes = Infinity } = request;
  const { url, headers: credentials } = splitCredentials(address);
  const controller = new AbortController();
  const onAbort = () => controller.abort(signals.find((signal) => signal?.aborted)?.reason);
  const onDeadline = () => controller.abort(new TimeoutError({ body: {}, url: address }));
  const timer = setTimeout(onDeadline, deadlineMs);
  for (const signal of signals) signal?.addEventListener('abort', onAbort, { once: true });
  if (signals.some((signal) => signal?.aborted)) onAbort();
  try {
    const response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...credentials, 'content-type': body && 'application/json', ...headers },
      body: body ?? null,
      signal: controller.signal,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw new ResponseTooLongError(`more than ${String(maxBytes)} bytes`);
      chunks.push(chunk);
    }
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks, length) };
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener('abort', onAbort);
  }
}
