import { ApiError } from '../errors.js';
import { leavesUnknown } from '../http/leaves-unknown.js';

/** Whether something that was signed and sent was refused for good, and no earlier attempt can have got through. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && !error.retryable && !error.afterUnanswered && !leavesUnknown(error);
}
