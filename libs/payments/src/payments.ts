import { randomUUID } from 'node:crypto';
import { InternalError, type PricesResponse } from '@yield-vault/protocol';
import { wrongSignature } from './adapters/reasons.js';
import { isAcceptedByWallet, isSignedByKey, limitChecks } from './check-signature.js';
import { inFlight, inUse, tooManyInFlight } from './errors.js';
import { isAllowlisted } from './free-calls.js';
import { inspectToken } from './inspect-token.js';
import type {
  Facilitator,
  FreeQuota,
  Inspection,
  PaymentLedger,
  PaymentRecord,
  SettlementOutcome,
} from './ports.js';
import { describePrices, priceResources, type PriceList } from './price-resources.js';
import { checkWindow, fingerprintOf, keyOf, readPayment, termsOf } from './read-payment.js';
import { settlePayment, verifyPayment } from './settle-payment.js';
import type {
  BeginResult,
  PaidResponse,
  PaidRequest,
  Payment,
  PaymentChain,
  PaymentOutcome,
  PaymentSession,
  PricedResource,
  SettleResult,
} from './types.js';
import { buildChallenge, buildReceipt } from './x402-messages.js';

export interface PaymentsOptions extends Omit<PriceList, 'maxTimeoutSeconds'> {
  /** Longest validity that the terms allow for an authorization (120). */
  readonly maxTimeoutSeconds?: number;
  /** Access keys that exempt their holders from payment. */
  readonly allowlist?: readonly string[];
  /** Largest response that can be sold (1 MiB). It is stored until ten minutes after its settlement. */
  readonly maxResponseBytes?: number;
  /**
   * Time for verification and handler (180). Afterwards another attempt can use the payment. Set it higher than the
   * server's request timeout.
   */
  readonly handlerSeconds?: number;
}

export interface PaymentsDependencies {
  readonly chains: readonly PaymentChain[];
  readonly facilitator: Facilitator;
  readonly ledger: PaymentLedger;
  /** Optional; without it no call is free. */
  readonly freeQuota?: FreeQuota;
  readonly options: PaymentsOptions;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface Payments {
  /**
   * Decide whether a request may run. If its payment is `reserved`, call `settle` or `cancel` after the handler.
   *
   * @throws {PaymentInUseError} when another request in flight uses the payment
   * @throws {RateLimitExceededError} when the payer has too many payments in flight
   * @throws {UpstreamUnavailableError} when the same request is in flight, an outcome is unknown, or the facilitator, the
   * node or the ledger is down; the same request with the same payment is charged once
   */
  begin(request: PaidRequest): Promise<BeginResult>;
  /**
   * Store a response and settle its payment, before the response is sent.
   *
   * @throws {UpstreamUnavailableError} when the outcome is unknown: withhold the response, the payer repeats the request
   * @throws {InternalError} when the response exceeds `maxResponseBytes`; nothing is charged
   */
  settle(session: PaymentSession, response: PaidResponse): Promise<SettleResult>;
  /** Make the payment of a failed request usable again, unless it is settling. Never throws. */
  cancel(session: PaymentSession): Promise<void>;
  /** Call a function with the outcome of each payment. */
  onOutcome(listener: (outcome: PaymentOutcome) => void): void;
  /** Build the document at `/.well-known/x402`. */
  describePrices(): PricesResponse;
  /** Compare tokens and facilitator with the configuration, at startup. */
  inspect(): Promise<Inspection>;
}

// Lease of a settlement. After it expires, another attempt can continue the settlement.
const settleSeconds = 60;

/**
 * Make the x402 engine of a deployment: it admits requests and settles payments.
 *
 * @throws {ConfigError} when the options are invalid
 */
export function createPayments(dependencies: PaymentsDependencies): Payments {
  const { chains, facilitator, ledger, freeQuota, options, now = Date.now } = dependencies;
  const { maxTimeoutSeconds = 120, allowlist = [] } = options;
  const { maxResponseBytes = 1024 * 1024, handlerSeconds = 180 } = options;
  const resources = priceResources({ ...options, maxTimeoutSeconds }, chains);
  const limited = limitChecks();
  const listeners: ((outcome: PaymentOutcome) => void)[] = [];
  const report = (outcome: PaymentOutcome) => listeners.forEach((listener) => listener(outcome));

  function required(
    { resource, requestId }: Pick<PaymentSession, 'resource' | 'requestId'>,
    reason?: string,
  ): Extract<BeginResult, { kind: 'required' }> {
    report(reason === undefined ? 'required' : 'refused');
    return { kind: 'required', challenge: buildChallenge(resource, requestId, reason) };
  }

  async function begin(request: PaidRequest): Promise<BeginResult> {
    const resource = resources.get(request.resource);
    if (!resource) return { kind: 'free', reason: 'not-priced' };
    if (isAllowlisted(request.accessKey, allowlist)) return { kind: 'free', reason: 'allowlisted' };

    const reading = readPayment(request.header, resource);
    if (reading.kind === 'payment') return reserve(request, resource, reading.payment);
    if (reading.kind === 'refused')
      return required({ resource, requestId: request.requestId }, reading.reason);
    const { client } = request;
    if (freeQuota !== undefined && client !== undefined && (await freeQuota.take(client)))
      return { kind: 'free', reason: 'free-call' };
    return required({ resource, requestId: request.requestId });
  }

  async function reserve(
    request: PaidRequest,
    resource: PricedResource,
    payment: Payment,
  ): Promise<BeginResult> {
    const session = { payment, resource, requestId: request.requestId, owner: randomUUID() };
    const fingerprint = fingerprintOf(request, payment);
    const outdated = checkWindow(payment, now());
    if (outdated !== undefined || !(await isSignedByKey(payment))) {
      // Anybody can make such a payment, so it reserves nothing before it is checked. Outside its window it can only
      // repeat an earlier request, which the ledger knows. Otherwise the contract of the wallet must accept it.
      const isGenuine = await limited([payment.authorization.from, request.client ?? session.owner], () =>
        outdated === undefined ? isAcceptedByWallet(payment) : ledger.has({ ...keyOf(payment), fingerprint }),
      );
      if (!isGenuine) return required(session, outdated ?? wrongSignature);
    }
    const lease = { owner: session.owner, seconds: handlerSeconds };
    const reservation = await ledger.reserve(
      { ...keyOf(payment), ...termsOf(payment, now()), fingerprint },
      lease,
    );
    if (reservation.kind === 'full') throw tooManyInFlight(reservation.of);
    const { record } = reservation;
    // Another attempt holds the lease, or the payment is settled.
    if (reservation.kind === 'known') return repeat(session, record, record.fingerprint === fingerprint);
    // The response is stored; an earlier attempt did not learn the outcome of the settlement.
    if (record.response) return resume(session, record.response);
    const refusal = await verifyPayment(payment, facilitator, now()).catch(async (error: unknown) => {
      await cancel(session);
      throw error;
    });
    if (refusal === undefined) return { kind: 'reserved', session };
    await cancel(session);
    return required(session, refusal);
  }

  function repeat(session: PaymentSession, record: PaymentRecord, isSame: boolean): BeginResult {
    const { response, transaction } = record;
    if (record.state !== 'settled') throw isSame ? inFlight() : inUse();
    if (!isSame || !response || !transaction) return required(session, 'payment_already_used');
    report('repeated');
    return { kind: 'answered', response, headers: paidHeaders(session, { kind: 'settled', transaction }) };
  }

  async function resume(session: PaymentSession, response: PaidResponse): Promise<BeginResult> {
    const result = await settleStored(session, true);
    return result.kind === 'settled' ? { kind: 'answered', response, headers: result.headers } : result;
  }

  async function settle(session: PaymentSession, response: PaidResponse): Promise<SettleResult> {
    if (response.body.byteLength > maxResponseBytes) {
      await cancel(session);
      throw new InternalError({
        detail: `The response has ${response.body.byteLength} bytes; at most ${maxResponseBytes} can be sold.`,
      });
    }
    const lease = { owner: session.owner, seconds: settleSeconds };
    const isStored = await ledger.keepResponse(keyOf(session.payment), lease, response);
    // The handler took longer than the lease, and another attempt holds the payment now.
    if (!isStored) throw inFlight();
    return settleStored(session, false);
  }

  /** Settle a payment whose response is stored. */
  async function settleStored(session: PaymentSession, isRepeated: boolean): Promise<SettleResult> {
    const { payment, owner } = session;
    const key = keyOf(payment);
    let outcome: SettlementOutcome;
    try {
      outcome = await settlePayment(payment, facilitator, isRepeated);
    } catch (error) {
      report('unknown');
      // Keep the payment and its response, so that a repeated request continues here.
      await ledger.release(key, owner).catch(() => undefined);
      throw error;
    }
    if (outcome.kind === 'settled') {
      // Otherwise the next attempt or the sweep reads the settlement from the chain, and reports it.
      const isRecorded = await ledger.settle(key, owner, outcome.transaction).catch(() => false);
      if (isRecorded) report('settled');
      return { kind: 'settled', headers: paidHeaders(session, outcome) };
    }
    // Nothing was charged, so the payment can be used again.
    await ledger.delete(key, owner, 'settling').catch(() => undefined);
    const { challenge } = required(session, outcome.reason);
    const headers = { ...challenge.headers, ...buildReceipt(payment, outcome) };
    return { kind: 'required', challenge: { ...challenge, headers } };
  }

  async function cancel({ payment, owner }: PaymentSession): Promise<void> {
    // If the ledger is down, the lease expires and the next attempt takes the payment over.
    await ledger.delete(keyOf(payment), owner, 'reserved').catch(() => undefined);
  }

  return {
    begin,
    settle,
    cancel,
    onOutcome: (listener) => void listeners.push(listener),
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

function paidHeaders({ payment }: PaymentSession, outcome: SettlementOutcome): Record<string, string> {
  return { ...buildReceipt(payment, outcome), 'Cache-Control': 'private, no-store' };
}
