import { DatabaseLockedError, DatabaseMigrationError } from '@yield-vault/database';
import { PaymentSetupError } from '@yield-vault/payments';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { describeStartFailure as describeServerFailure } from '@yield-vault/server';

const curable = [DatabaseLockedError, DatabaseMigrationError, PaymentSetupError];

/** Say in plain words why the server did not start, for the cases that an operator can cure. */
export function describeStartFailure(error: unknown): string | undefined {
  if (isDatabaseOutage(error)) {
    return `The database cannot be used (${reasonOf(error.cause)}). Check DATABASE_URL, and that PostgreSQL is running.`;
  }
  if (curable.some((kind) => error instanceof kind)) return (error as Error).message;
  return describeServerFailure(error);
}

const isDatabaseOutage = (error: unknown): error is UpstreamUnavailableError =>
  error instanceof UpstreamUnavailableError && error.details['dependency'] === 'database';

// Messages may name the host: only what has no code is told in its words.
function reasonOf(cause: unknown): string {
  const { code, message } = cause as { readonly code?: string; readonly message: string };
  return code ?? message;
}
