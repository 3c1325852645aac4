import { types } from 'node:util';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { DatabaseLockedError } from './errors.js';

const networkCodes = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

// SQLSTATE: the server is gone, refuses connections, is full, is starting or stopping, or its disk fails; it became
// read-only (after a failover), the session was idle for too long, or the statement ran into its deadline.
const serverCodes = /^(08|28|53|57P|58|25006$|25P03$|57014$)/;

// node-postgres throws these as plain errors without a code.
const driverMessages = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Cannot use a pool after calling end on the pool',
];

/**
 * Recognise a database that is down, unreachable or too slow, anywhere in the cause chain.
 *
 * @returns the error to show, or undefined when the error is about the statement (a constraint, bad SQL …)
 */
export function asDatabaseError(error: unknown): UpstreamUnavailableError | undefined {
  for (const link of causes(error)) {
    if (link instanceof UpstreamUnavailableError) return link;
    if (isOutage(link)) return databaseOutage(error);
  }
  return undefined;
}

/** The error to show for a database that cannot be used, whatever the reason. */
export function databaseOutage(cause: unknown): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: 'The database does not respond.',
    details: { dependency: 'database' },
    retryAfterSeconds: 2,
    cause,
  });
}

function isOutage(error: Error): boolean {
  if (error instanceof DatabaseLockedError) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return networkCodes.has(code) || serverCodes.test(code);
  return driverMessages.some((message) => error.message.startsWith(message));
}

/** The error, its causes, and the parts of an AggregateError (one per address that was tried). */
function* causes(error: unknown): Generator<Error> {
  const open: unknown[] = [error];
  const seen = new Set<unknown>();
  while (open.length > 0) {
    const next = open.shift();
    if (!types.isNativeError(next) || seen.has(next)) continue;
    seen.add(next);
    yield next;
    open.push(next.cause, ...((next as { errors?: unknown[] }).errors ?? []));
  }
}
