import { settings, waitLimitsSchema } from '@yield-vault/chains';
import { z } from 'zod';

const { positiveInteger } = settings;

/** How long a call waits for its transaction, and how many calls wait in one process. */
export const relaySchema = z.strictObject({
  executeWaitSeconds: positiveInteger.default(60),
  setupWaitSeconds: positiveInteger.default(120),
  /** Above a limit a call is `TRANSACTION_PENDING` at once. */
  maxWaiting: waitLimitsSchema,
});
