import * as z from 'zod';
import { ApiError, ServiceUnreachableError } from '../errors.js';

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
 * @throws {ServiceUnreachableError} When what answered is not the service.
 */
export function readAnswer<Body>({ data, error, response }: RawAnswer, afterUnanswered: boolean): Body {
  if (response.ok && typeof data === 'object' && data !== null) return data as Body;
  const { status } = response;
  const retryAfterSeconds = parseSeconds(response.headers.get('retry-after'));
  const { success, data: refusal } = errorBody.safeParse(error);
  if (response.ok || !success)
    throw new ServiceUnreachableError(
      `HTTP ${String(status)} with an unknown body`,
      undefined,
      retryAfterSeconds,
    );
  const { accepts, details, ...parts } = refusal;
  throw new ApiError({
    ...parts,
    details: details ?? (accepts && { accepts }),
    status,
    retryAfterSeconds,
    afterUnanswered,
  });
}

function parseSeconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
