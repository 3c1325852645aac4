import { ForkCapacityError, ForkNotRunningError } from '@yield-vault/protocol';
import { z } from 'zod';
import type { HttpAnswer } from './http.js';

const quotaCode = -32004;
const rateLimitCode = -32005;
const defaultRetryAfterSeconds = 5;
// A quota comes back with the next month, or when somebody deletes forks.
const quotaRetryAfterSeconds = 60;

/** `details` of every error of this back end. */
export const tenderlyDetails = { dependency: 'tenderly' };

// The REST API and the RPC name different fields; each of them may be missing.
const errorBody = z.object({
  error: z.object({
    code: z.number().optional().catch(undefined),
    slug: z.string().optional().catch(undefined),
    message: z.string().optional().catch(undefined),
  }),
});

/**
 * Say what an answer means that is no success. Nothing of what Tenderly wrote is passed on: it may name the account.
 *
 * @returns `ForkCapacityError` when the plan allows no more, else `ForkNotRunningError`
 */
export function asTenderlyError(answer: HttpAnswer): ForkCapacityError | ForkNotRunningError {
  const { status, retryAfterSeconds = defaultRetryAfterSeconds } = answer;
  const { code, slug = '', message = '' } = errorBody.safeParse(answer.body).data?.error ?? {};

  if (code === quotaCode || status === 402 || (status === 403 && isAboutQuota(`${slug} ${message}`))) {
    return new ForkCapacityError({
      detail: 'Tenderly: the quota of the plan is used up.',
      details: tenderlyDetails,
      retryAfterSeconds: answer.retryAfterSeconds ?? quotaRetryAfterSeconds,
    });
  }
  if (code === rateLimitCode || status === 429) {
    return new ForkNotRunningError({
      detail: 'Tenderly: rate limit exceeded.',
      details: tenderlyDetails,
      retryAfterSeconds,
    });
  }
  if (status === 401 || status === 403) {
    return new ForkNotRunningError({
      detail: 'Tenderly refuses the access key.',
      details: tenderlyDetails,
      retryable: false,
      nextAction: 'Check account, project and access key of Tenderly in the deployment configuration.',
    });
  }
  const reason = status < 300 ? 'the answer is not understood' : `HTTP status ${String(status)}`;
  return new ForkNotRunningError({
    detail: `Tenderly: ${reason}.`,
    details: tenderlyDetails,
    retryAfterSeconds,
  });
}

/** Tell a JSON-RPC error that speaks of limits from one that answers the call. */
export function isLimitCode(code: number): boolean {
  return code === quotaCode || code === rateLimitCode;
}

function isAboutQuota(text: string): boolean {
  return /quota|limit|plan|upgrade/i.test(text);
}
