import { HTTPFacilitatorClient } from '@x402/core/http';
import type { SettleError, VerifyError } from '@x402/core/types';
import { sameHex } from '@yield-vault/protocol';
import { circuitBreaker, ConsecutiveBreaker, ExponentialBackoff, handleWhen, retry, wrap } from 'cockatiel';
import { isHash } from 'viem';
import { unavailable, unconfirmed } from '../errors.js';
import type { Facilitator } from '../ports.js';
import type { Payment } from '../types.js';
import { toPayload, toRequirements } from '../x402-messages.js';
import { toReason } from './reasons.js';

export type FacilitatorOperation = 'verify' | 'settle' | 'supported';

export interface RemoteFacilitatorOptions {
  /** Base URL of the facilitator. Its error texts are never forwarded. */
  readonly url: string;
  /** Time limit of one call (10,000). */
  readonly timeoutMs?: number;
  /** Makes the authentication headers of each call. */
  readonly authorize?: (
    operation: FacilitatorOperation,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

const dependency = 'facilitator';
const failuresUntilOpen = 10;
// These say something about us or about the facilitator, not about the payment.
const faultStatuses = new Set([401, 403, 404, 408, 429]);

/** Make a client of a facilitator, addressed by URL. */
export function createRemoteFacilitator(options: RemoteFacilitatorOptions): Facilitator {
  const { url, timeoutMs = 10_000, authorize } = options;
  const client = new HTTPFacilitatorClient({
    url,
    timeoutMs,
    ...(authorize && {
      createAuthHeaders: async () => {
        const [verify, settle, supported] = await Promise.all(
          (['verify', 'settle', 'supported'] as const).map(async (operation) => authorize(operation)),
        );
        return { verify: { ...verify }, settle: { ...settle }, supported: { ...supported } };
      },
    }),
  });
  const breaker = circuitBreaker(
    handleWhen((error) => !isRefusal(error)),
    {
      breaker: new ConsecutiveBreaker(failuresUntilOpen),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 10_000 }),
    },
  );
  // Only verification is retried. The payer repeats a settlement, after the chain showed its outcome.
  const retried = wrap(
    retry(
      handleWhen((error) => !isRefusal(error)),
      { maxAttempts: 1, backoff: new ExponentialBackoff({ initialDelay: 100 }) },
    ),
    breaker,
  );
  const down = (cause?: unknown) => unavailable(dependency, 'it gives no usable response', cause);

  return {
    async verify(payment) {
      const { isValid, invalidReason } = await retried
        .execute(() => client.verify(toPayload(payment), toRequirements(payment.terms)))
        .catch((error: unknown) => {
          if (isRefusal(error))
            return { isValid: false, invalidReason: (error as VerifyError).invalidReason };
          throw down(error);
        });
      if (isValid) return undefined;
      const reason = toReason(invalidReason);
      if (reason === undefined) throw down();
      return reason;
    },
    async settle(payment) {
      const result = await breaker
        .execute(() => client.settle(toPayload(payment), toRequirements(payment.terms)))
        .catch((error: unknown) => {
          if (!isRefusal(error)) throw down(error);
          const { errorReason, transaction } = error as SettleError;
          return { success: false, errorReason, transaction };
        });
      if (result.success) {
        if (!isAbout(payment, result)) throw down();
        return { kind: 'settled', transaction: result.transaction as `0x${string}` };
      }
      // A transfer was sent; the chain decides its outcome.
      if (isHash(result.transaction)) throw unconfirmed(payment.terms.chain);
      const reason = toReason(result.errorReason);
      if (reason === undefined) throw down();
      return { kind: 'refused', reason };
    },
    async inspect(terms) {
      const supported = await client.getSupported().catch(String);
      if (typeof supported === 'string') {
        const isRefused = /\(40[13]\)/.test(supported);
        const warning = `the facilitator ${isRefused ? 'refuses our credentials' : 'does not respond'}`;
        return { problems: [], warnings: [warning] };
      }
      const missing = terms.filter(
        ({ network }) =>
          !supported.kinds.some(
            (kind) => kind.x402Version === 2 && kind.scheme === 'exact' && kind.network === network,
          ),
      );
      const networks = new Set(missing.map(({ chain }) => chain.key));
      return {
        problems: [...networks].map((key) => `the facilitator does not settle on ${key}`),
        warnings: [],
      };
    },
  };
}

/** Compare names: each entry point of the package may bundle its own copy of these classes. */
function isRefusal(error: unknown): error is VerifyError | SettleError {
  if (!(error instanceof Error) || !['VerifyError', 'SettleError'].includes(error.name)) return false;
  const { statusCode } = error as VerifyError | SettleError;
  return statusCode < 500 && !faultStatuses.has(statusCode);
}

/** Check that a success belongs to this payment. */
function isAbout(
  { authorization, terms }: Payment,
  { transaction, network, payer }: { transaction: string; network?: string; payer?: string },
): boolean {
  return (
    isHash(transaction) &&
    (network === undefined || network === terms.network) &&
    (payer === undefined || sameHex(payer, authorization.from))
  );
}
