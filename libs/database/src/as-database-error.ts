import { types } from 'node:util';
import { UpstreamUnavailableError } from '@yield-vault/protocol';

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

// SQLSTATE: the server is starting, stopping or full, the statement ran into its deadline, or the session was idle.
const serverCodes = new Set(['53300', '57014', '57P01', '57P02', '57P03', '57P05', '25P03']);

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
    if (!isOutage(link)) continue;
    return new UpstreamUnavailableError({
      detail: 'The database does not answer.',
      details: { dependency: 'database' },
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  return undefined;
}

function isOutage(error: Error): boolean {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return networkCodes.has(code) || serverCodes.has(code) || /^08/.test(code);
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
