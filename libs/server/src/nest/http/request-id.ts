import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Name of the header that carries the id of a request, both ways. */
export const requestIdHeader = 'x-request-id';

// Anything else could break out of a log line or a header.
const safeId = /^[\w.:-]{1,128}$/;

/** Take the caller's request id when it is safe to repeat, else make one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && safeId.test(given) ? given : randomUUID();
}
