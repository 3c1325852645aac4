import { DatabaseLockedError } from '@yield-vault/database';
import { describeStartFailure as describeServerFailure } from '@yield-vault/server';

/** Say in plain words why the server did not start, for the cases that an operator can cure. */
export function describeStartFailure(error: unknown): string | undefined {
  return error instanceof DatabaseLockedError ? error.message : describeServerFailure(error);
}
