import * as z from 'zod';
import { ApiError, MalformedResponseError, ServiceUnreachableError } from '../errors.js';
import { problemOf, type Endpoint } from './response-shapes.js';

/** A response and its body; `undefined` when the body is not JSON. */
export interface RawResponse {
  readonly response: Response;
  readonly body: unknown;
}

const maxResponseMiB = 16;

const errorBody = z.object({
  error: z.string(),
  code: z.string(),
  detail: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  retryable: z.boolean().optional(),
  nextAction: z.string().optional(),
  requestId: z.string().optional(),
  // Only in a 402.
  accepts: z.array(z.unknown()).optional(),
});

/**
 * Read the text of a response.
 *
 * @throws {MalformedResponseError} when it is longer than 16 MiB
 */
export async function readText(
  endpoint: Endpoint,
  { body }: { readonly body: ReadableStream<Uint8Array> | null },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Some browsers cannot iterate over a stream.
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.length;
    if (bytes > maxResponseMiB * 2 ** 20) {
      await reader?.cancel();
      throw new MalformedResponseError(endpoint, `the body is longer than ${maxResponseMiB} MiB`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Return the body of a successful response.
 *
 * @param afterLostResponse - whether an earlier attempt may have been executed
 * @throws {ApiError} when the service refused
 * @throws {ServiceUnreachableError} when a proxy responded 5xx in place of the service
 * @throws {MalformedResponseError} when the response does not match the interface
 */
export function readResponse<Body>(
  endpoint: Endpoint,
  { response, body }: RawResponse,
  afterLostResponse: boolean,
): Body {
  const { ok, status, headers } = response;
  const retryAfterSeconds = parseSeconds(headers.get('retry-after'));
  if (ok) {
    const problem = body === undefined ? 'the body is not JSON' : problemOf(endpoint, body);
    if (problem === undefined) return body as Body;
    throw new MalformedResponseError(endpoint, problem, retryAfterSeconds);
  }
  const { success, data: refusal } = errorBody.safeParse(body);
  if (!success) {
    const problem = `HTTP ${status} with an unknown body`;
    // A load balancer responds like this while the service restarts.
    if (status >= 500) throw new ServiceUnreachableError(problem, undefined, retryAfterSeconds);
    throw new MalformedResponseError(endpoint, problem, retryAfterSeconds);
  }
  const { accepts, details, ...parts } = refusal;
  throw new ApiError({
    ...parts,
    details: details ?? (accepts && { accepts }),
    status,
    retryAfterSeconds,
    afterLostResponse,
  });
}

/** Whether a response requests a payment, in the form of the interface. */
export function requestsPayment({ response, body }: RawResponse): boolean {
  return response.status === 402 && errorBody.safeParse(body).success;
}

/** Whether a request that ended with an error may have been executed. */
export function leavesUnknown(error: unknown): boolean {
  // Of all 503s, only a full fork service fails before anything is sent.
  return !(error instanceof ApiError) || (error.status >= 500 && error.code !== 'FORK_CAPACITY');
}

/** Whether the service refused a signed request for good, and no earlier attempt can have succeeded. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && !error.retryable && !error.afterLostResponse && !leavesUnknown(error);
}

function parseSeconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
