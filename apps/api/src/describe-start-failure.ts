import { DatabaseLockedError } from '@yield-vault/database';
import { PaymentSetupError } from '@yield-vault/payments';
import { describeStartFailure as describeServerFailure } from '@yield-vault/server';

/** Say in plain words why the server did not start, for the cases that an operator can cure. */
export function describeStartFailure(error: unknown): string | undefined {
  const isCurable = error instanceof DatabaseLockedError || error instanceof PaymentSetupError;
  return isCurable ? error.message : describeServerFailure(error);
}
