import { ApiError } from '../errors.js';

/** Whether a request that ended with an error may have been carried out all the same. */
export function leavesUnknown(error: unknown): boolean {
  // Of what the service answers with 503, a full fork service alone is met before anything is sent.
  return !(error instanceof ApiError) || (error.status >= 500 && error.code !== 'FORK_CAPACITY');
}
