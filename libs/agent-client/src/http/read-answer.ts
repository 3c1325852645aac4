import * as z from 'zod';
import { ApiError, MalformedAnswerError, ServiceUnreachableError } from '../errors.js';
import type { Endpoint } from '../generated/answers.js';
import { problemOf } from './problem-of.js';

/** What a call of the generated client gives; its type for `data` leaves out what is always null. */
export interface RawAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

const errorBody = z.object({
  error: z.string(),
  code: z.string(),
  detail: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  retryable: z.boolean().optional(),
  nextAction: z.string().optional(),
  requestId: z.string().optional(),
  // Of a 402 only.
  accepts: z.array(z.unknown()).optional(),
});

/**
 * Give the body of an answer.
 *
 * @param afterUnanswered Whether an earlier attempt may have been carried out.
 * @throws {ApiError} When the service refused.
 * @throws {ServiceUnreachableError} When something in front of the service answered 5xx in its place.
 * @throws {MalformedAnswerError} When the answer is not one of the interface.
 */
export function readAnswer<Body>(
  endpoint: Endpoint,
  { data, error, response }: RawAnswer,
  afterUnanswered: boolean,
): Body {
  const { ok, status, headers } = response;
  const retryAfterSeconds = parseSeconds(headers.get('retry-after'));
  if (ok) {
    const problem = problemOf(endpoint, data);
    if (problem === undefined) return data as Body;
    throw new MalformedAnswerError(endpoint, problem, retryAfterSeconds);
  }
  const { success, data: refusal } = errorBody.safeParse(error);
  if (!success) {
    const problem = `HTTP ${status} with an unknown body`;
    // A load balancer says so while the service restarts: that passes, and nothing is wrong with baseUrl.
    if (status >= 500) throw new ServiceUnreachableError(problem, undefined, retryAfterSeconds);
    throw new MalformedAnswerError(endpoint, problem, retryAfterSeconds);
  }
  const { accepts, details, ...parts } = refusal;
  throw new ApiError({
    ...parts,
    details: details ?? (accepts && { accepts }),
    status,
    retryAfterSeconds,
    afterUnanswered,
  });
}

/** Whether an answer asks for a payment, in the form of the interface. */
export function asksForPayment({ error, response }: RawAnswer): boolean {
  return response.status === 402 && errorBody.safeParse(error).success;
}

function parseSeconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
