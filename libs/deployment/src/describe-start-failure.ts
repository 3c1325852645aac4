import { DatabaseLockedError, DatabaseMigrationError, UnsupportedPoolerError } from '@yield-vault/database';
import { ConfigError, ForksNotConfiguredError, UpstreamUnavailableError } from '@yield-vault/protocol';

const curable = [ConfigError, DatabaseLockedError, DatabaseMigrationError, UnsupportedPoolerError];

interface ListenFailure {
  readonly code: string;
  readonly port?: number;
  readonly address?: string;
}

const isListenFailure = (error: unknown): error is ListenFailure =>
  error instanceof Error && 'syscall' in error && error.syscall === 'listen' && 'code' in error;

/**
 * Say in plain words why a process did not start, for failures that an operator can cure.
 *
 * @param variables - names of the environment variables that choose host and port
 */
export function describeStartFailure(
  error: unknown,
  variables: { readonly host: string; readonly port: string } = { host: 'HOST', port: 'PORT' },
): string | undefined {
  if (curable.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof ForksNotConfiguredError) return error.detail;
  if (isDatabaseOutage(error)) {
    return `The database cannot be used (${reasonOf(error.cause)}). Check DATABASE_URL, and that PostgreSQL is running.`;
  }
  if (!isListenFailure(error)) return undefined;
  const place = `port ${error.port} on ${error.address}`;
  if (error.code === 'EADDRINUSE') {
    return `Another program uses ${place}. Stop it, or set ${variables.port} to a free port.`;
  }
  if (error.code === 'EACCES') {
    return `No permission to use ${place}. Set ${variables.port} to a port above 1023.`;
  }
  return `Cannot listen on ${place} (${error.code}). Check ${variables.host} and ${variables.port}.`;
}

const isDatabaseOutage = (error: unknown): error is UpstreamUnavailableError =>
  error instanceof UpstreamUnavailableError && error.details['dependency'] === 'database';

// A message may name the host, so the code comes first.
function reasonOf(cause: unknown): string {
  const { code, message } = cause as { readonly code?: string; readonly message: string };
  return code ?? message;
}
