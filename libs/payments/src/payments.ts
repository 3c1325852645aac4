import { randomUUID } from 'node:crypto';
import { InternalError } from '@yield-vault/protocol';
import { inFlight, inUse, tooManyInFlight } from './errors.js';
import type {
  Facilitator,
  FreeQuota,
  Inspection,
  PaymentChain,
  PaymentKey,
  PaymentLedger,
  PaymentRecord,
  SettlementOutcome,
} from './ports.js';
import { buildChallenge } from './steps/build-challenge.js';
import { buildReceipt } from './steps/build-receipt.js';
import { describePrices, type PriceDescription } from './steps/describe-prices.js';
import { fingerprintOf } from './steps/fingerprint-of.js';
import { inspectToken } from './steps/inspect-token.js';
import { isAllowlisted } from './steps/is-allowlisted.js';
import { priceResources, type PriceList } from './steps/price-resources.js';
import { readPayment } from './steps/read-payment.js';
import { settlePayment } from './steps/settle-payment.js';
import { verifyPayment } from './steps/verify-payment.js';
import type {
  PaidAnswer,
  PaidRequest,
  Payment,
  PaymentSession,
  PaymentVerdict,
  PricedResource,
  SettlementVerdict,
} from './types.js';

export interface PaymentsOptions extends Omit<PriceList, 'maxTimeoutSeconds'> {
  /** How long payers are told to let an authorization be valid (120). */
  readonly maxTimeoutSeconds?: number;
  /** Keys whose holders need not pay. */
  readonly allowlist?: readonly string[];
  /** Largest answer that can be sold (1 MiB): it is stored until its payment expires. */
  readonly maxAnswerBytes?: number;
  /**
   * After how long a request is given up, so that its payment is good for another attempt (180): longer than the
   * deployment lets its handlers work, for the check before counts too.
   */
  readonly handlerSeconds?: number;
}

export interface PaymentsDependencies {
  readonly chains: readonly PaymentChain[];
  readonly facilitator: Facilitator;
  readonly ledger: PaymentLedger;
  /** Without it no call is free. */
  readonly freeQuota?: FreeQuota;
  readonly options: PaymentsOptions;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface Payments {
  /**
   * Decide what is to be done with a request, before anything is done for it. A reserved one has to be settled or
   * cancelled.
   *
   * @throws {PaymentInUseError} when the payment is being used for another request
   * @throws {RateLimitExceededError} when the payer has too many payments in flight
   * @throws {UpstreamUnavailableError} when the same request is being answered, an outcome is unknown, or facilitator,
   * node or ledger do not answer; the same request with the same payment is charged once
   */
  begin(request: PaidRequest): Promise<PaymentVerdict>;
  /**
   * Charge for an answer that was made and not yet sent. It is stored first, so that it is not lost with the connection.
   *
   * @throws {UpstreamUnavailableError} when the outcome is unknown: withhold the answer, the payer asks again
   * @throws {InternalError} when the answer is too large to be sold; nothing is charged
   */
  settle(session: PaymentSession, answer: PaidAnswer): Promise<SettlementVerdict>;
  /** Give a payment back that bought nothing; without effect once it is settling. Never fails. */
  cancel(session: PaymentSession): Promise<void>;
  /** Describe what costs how much, for `/.well-known/x402`. */
  describePrices(): PriceDescription;
  /** Find out whether tokens and facilitator fit the configuration; ask before the first request. */
  inspect(): Promise<Inspection>;
}

const purgeEveryMs = 60_000;
// How long a settlement may take until another attempt goes on with it.
const settleSeconds = 60;
// How long an answer is kept after its authorization ran out.
const retentionSeconds = 600;

/**
 * Make the x402 engine of a deployment.
 *
 * @throws {PaymentSetupError} when the prices cannot be charged
 */
export function createPayments(dependencies: PaymentsDependencies): Payments {
  const { chains, facilitator, ledger, freeQuota, options, now = Date.now } = dependencies;
  const { maxTimeoutSeconds = 120, allowlist = [] } = options;
  const { maxAnswerBytes = 1024 * 1024, handlerSeconds = 180 } = options;
  const resources = priceResources({ ...options, maxTimeoutSeconds }, chains);
  let purgedAtMs = now();

  async function begin(request: PaidRequest): Promise<PaymentVerdict> {
    const resource = resources.get(request.resource);
    if (!resource) return { kind: 'free', reason: 'not-priced' };
    if (isAllowlisted(request.accessKey, allowlist)) return { kind: 'free', reason: 'allowlisted' };

    const reading = readPayment(request.header, resource);
    if (reading.kind === 'payment') return reserve(request, resource, reading.payment);
    if (reading.kind === 'refused')
      return required({ resource, requestId: request.requestId }, reading.reason);
    if (await hasFreeCall(request)) return { kind: 'free', reason: 'free-call' };
    return required({ resource, requestId: request.requestId });
  }

  async function reserve(
    request: PaidRequest,
    resource: PricedResource,
    payment: Payment,
  ): Promise<PaymentVerdict> {
    await purgeNowAndThen();
    const session = { payment, resource, requestId: request.requestId, owner: randomUUID() };
    const fingerprint = fingerprintOf(request, payment);
    const expiresAtMs = expiryOf(payment);
    const claim = await ledger.claim(
      { ...keyOf(payment), fingerprint, expiresAtMs },
      { owner: session.owner, seconds: handlerSeconds },
    );
    if (claim.kind === 'full') throw tooManyInFlight(claim.of);
    const { record } = claim;
    if (claim.kind === 'known') return answerKnown(session, record, record.fingerprint === fingerprint);
    // Left behind with its answer: what is missing is only to know that it is paid.
    if (record.answer) return goOn(session, record.answer);
    return admit(session);
  }

  /** Check a payment that was reserved just now. */
  async function admit(session: PaymentSession): Promise<PaymentVerdict> {
    try {
      const refusal = await verifyPayment(session.payment, facilitator, now());
      if (refusal === undefined) return { kind: 'reserved', session };
      await cancel(session);
      return required(session, refusal);
    } catch (error) {
      await cancel(session);
      throw error;
    }
  }

  function answerKnown(session: PaymentSession, record: PaymentRecord, isSame: boolean): PaymentVerdict {
    const { answer, transaction } = record;
    if (record.state !== 'settled') throw isSame ? inFlight() : inUse();
    if (!isSame || !answer || !transaction) return required(session, 'payment_already_used');
    return { kind: 'answered', answer, headers: paidHeaders(session, { kind: 'settled', transaction }) };
  }

  async function goOn(session: PaymentSession, answer: PaidAnswer): Promise<PaymentVerdict> {
    const verdict = await charge(session, true);
    return verdict.kind === 'settled' ? { kind: 'answered', answer, headers: verdict.headers } : verdict;
  }

  async function settle(session: PaymentSession, answer: PaidAnswer): Promise<SettlementVerdict> {
    if (answer.body.byteLength > maxAnswerBytes) {
      await cancel(session);
      throw new InternalError({ detail: 'The answer is too large to be sold.' });
    }
    const lease = { owner: session.owner, seconds: settleSeconds };
    const isKept = await ledger.keepAnswer(keyOf(session.payment), lease, answer);
    // Made too late: another attempt has the payment by now.
    if (!isKept) throw inFlight();
    return charge(session, false);
  }

  /** Carry a payment out whose answer is stored. */
  async function charge(session: PaymentSession, isRepeated: boolean): Promise<SettlementVerdict> {
    const { payment, owner } = session;
    const key = keyOf(payment);
    let outcome: SettlementOutcome;
    try {
      outcome = await settlePayment(payment, { facilitator, isRepeated });
    } catch (error) {
      // The answer stays: the same request finds out what became of the payment.
      await ledger.release(key, owner).catch(() => undefined);
      throw error;
    }
    // The chain knows better than a ledger that is down for a moment; the next attempt asks the chain.
    if (outcome.kind === 'settled') {
      await ledger.settle(key, owner, outcome.transaction).catch(() => undefined);
      return { kind: 'settled', headers: paidHeaders(session, outcome) };
    }
    await ledger.forget(key, owner, 'settling').catch(() => undefined);
    const { challenge } = required(session, outcome.reason);
    const headers = { ...challenge.headers, ...buildReceipt(payment, outcome) };
    return { kind: 'required', challenge: { ...challenge, headers } };
  }

  async function cancel({ payment, owner }: PaymentSession): Promise<void> {
    // Should this fail, the lease runs out by itself.
    await ledger.forget(keyOf(payment), owner, 'reserved').catch(() => undefined);
  }

  async function hasFreeCall({ client }: PaidRequest): Promise<boolean> {
    return freeQuota !== undefined && client !== undefined && (await freeQuota.take(client));
  }

  async function purgeNowAndThen(): Promise<void> {
    if (now() - purgedAtMs < purgeEveryMs) return;
    purgedAtMs = now();
    await ledger.purge();
  }

  /** An authorization that ran out cannot be used any more, so that nothing is lost with its row. */
  function expiryOf({ authorization, terms }: Payment): number {
    const latest = now() + terms.maxTimeoutSeconds * 2_000;
    return Math.min(Number(authorization.validBefore) * 1_000, latest) + retentionSeconds * 1_000;
  }

  return {
    begin,
    settle,
    cancel,
    describePrices: () => describePrices(resources.values()),
    async inspect() {
      const terms = [...resources.values()].flatMap((resource) => resource.terms);
      const found = await Promise.all([
        facilitator.inspect(terms),
        ...chains.map((chain) => inspectToken(chain, options.payTo)),
      ]);
      return {
        problems: found.flatMap(({ problems }) => problems),
        warnings: found.flatMap(({ warnings }) => warnings),
      };
    },
  };
}

function required(
  { resource, requestId }: Pick<PaymentSession, 'resource' | 'requestId'>,
  reason?: string,
): Extract<PaymentVerdict, { kind: 'required' }> {
  return { kind: 'required', challenge: buildChallenge(resource, requestId, reason) };
}

function paidHeaders({ payment }: PaymentSession, outcome: SettlementOutcome): Record<string, string> {
  return { ...buildReceipt(payment, outcome), 'Cache-Control': 'private, no-store' };
}

function keyOf({ terms, authorization }: Payment): PaymentKey {
  const { from: payer, nonce } = authorization;
  return { chainId: terms.chain.chainId, asset: terms.chain.asset.address, payer, nonce };
}
