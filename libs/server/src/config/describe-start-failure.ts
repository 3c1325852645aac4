import { ConfigError } from './config-error.js';

interface ListenFailure {
  readonly code: string;
  readonly port?: number;
  readonly address?: string;
}

const isListenFailure = (error: unknown): error is ListenFailure =>
  error instanceof Error && 'syscall' in error && error.syscall === 'listen' && 'code' in error;

/**
 * Say in plain words why a server did not start, for the cases that an operator can cure.
 *
 * @param variables - names of the environment variables that choose host and port
 */
export function describeStartFailure(
  error: unknown,
  variables: { readonly host: string; readonly port: string } = { host: 'HOST', port: 'PORT' },
): string | undefined {
  if (error instanceof ConfigError) return error.message;
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
