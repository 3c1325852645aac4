import { ExponentialBackoff, handleType, retry } from 'cockatiel';
import { Agent } from 'undici';
import type { z } from 'zod';
import { parseJson } from '../rpc/create-json-poster.js';
import { asServiceError, serviceBroken, serviceDown, type ServiceResponse } from './service-errors.js';

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Chain key for a balancer, when the path names no fork. */
  readonly chain?: string;
  /** Whether the call may be repeated when the connection fails. */
  readonly isRepeatable?: boolean;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface ServiceClient {
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
  /** Close every connection. */
  close(): Promise<void>;
}

export interface ServiceClientOptions {
  readonly url: string;
  readonly adminCredential: string;
  /** Longest time for one attempt. */
  readonly timeoutMs: number;
}

/** The connection failed before a response. */
class ConnectionError extends Error {}

const repeat = retry(handleType(ConnectionError), {
  maxAttempts: 2,
  backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 500 }),
});

/** Make an HTTP client of the fork service that converts its errors. */
export function createServiceClient({
  url,
  adminCredential,
  timeoutMs,
}: ServiceClientOptions): ServiceClient {
  const agent = new Agent({ connections: 64 });
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');

  const send = async ({
    method,
    path,
    body,
    chain,
    deadlineMs,
    signal,
  }: ServiceCall): Promise<ServiceResponse> => {
    const deadline = AbortSignal.timeout(deadlineMs ?? timeoutMs);
    try {
      const response = await agent.request({
        origin,
        path: `${base}${path}`,
        method,
        headers: {
          authorization: `Bearer ${adminCredential}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(chain !== undefined && { 'x-fork-chain': chain }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      const retryAfterSeconds = Number(response.headers['retry-after']);
      return {
        status: response.statusCode,
        body: await response.body.text(),
        ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
      };
    } catch (cause) {
      // A timeout is not repeated.
      if (deadline.aborted || signal?.aborted) throw serviceDown(cause);
      throw new ConnectionError('The connection to the fork service failed.', { cause });
    }
  };

  return {
    async call(call, schema) {
      const answer = await (call.isRepeatable ? repeat.execute(() => send(call)) : send(call)).catch(
        (error: unknown) => {
          throw error instanceof ConnectionError ? serviceDown(error.cause) : error;
        },
      );
      if (answer.status < 200 || answer.status >= 300) throw asServiceError(answer);
      const parsed = schema.safeParse(answer.status === 204 ? undefined : parseJson(answer.body));
      if (!parsed.success) throw serviceBroken(parsed.error);
      return parsed.data;
    },
    close: () => agent.destroy(),
  };
}
