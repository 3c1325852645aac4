import type { PaymentState } from '@yield-vault/database';
import type { Address, Hex } from 'viem';
import type { PaidResponse, Payment, PaymentTerms } from './types.js';

/** Verifies and settles payments. */
export interface Facilitator {
  /** Sends the transfers, and belongs to this deployment alone. */
  readonly sender?: Address;
  /**
   * @returns the reason for a refusal, or `undefined` for a valid payment
   * @throws {UpstreamUnavailableError} when the facilitator or the node is unavailable
   */
  verify(payment: Payment): Promise<string | undefined>;
  /**
   * Settle a payment. A repeated call has no second effect, because the token accepts an authorization once.
   *
   * @throws {UpstreamUnavailableError} when the outcome is unknown
   */
  settle(payment: Payment): Promise<SettlementOutcome>;
  /** Check at startup that the facilitator can settle these terms. */
  inspect(terms: readonly PaymentTerms[]): Promise<Inspection>;
}

/** How a settlement ended. */
export type SettlementOutcome =
  | { readonly kind: 'settled'; readonly transaction: Hex }
  | { readonly kind: 'refused'; readonly reason: string };

/** Findings of the startup checks. */
export interface Inspection {
  /** No payment can succeed with this configuration. */
  readonly problems: readonly string[];
  /** Payments fail until this is resolved. */
  readonly warnings: readonly string[];
}

/** Identifies an authorization. The token accepts each one once. */
export interface PaymentKey {
  readonly chainId: number;
  readonly asset: Address;
  readonly payer: Address;
  readonly nonce: Hex;
}

/** A payment to reserve. */
export interface NewPayment extends PaymentKey {
  /** Hash of the request, the terms and the signature. */
  readonly fingerprint: Hex;
  readonly payTo: Address;
  /** Base units of the asset. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly validBefore: bigint;
}

/** A payment in the ledger. */
export interface PaymentRecord {
  readonly fingerprint: Hex;
  readonly state: PaymentState;
  /** Present when settling, and for `repeatSeconds` when settled. */
  readonly response?: PaidResponse;
  /** Present when settled. */
  readonly transaction?: Hex;
}

/** The exclusive right to work on a payment, for a limited time. */
export interface PaymentLease {
  readonly owner: string;
  readonly seconds: number;
}

/** Result of reserving a payment. */
export type PaymentReservation =
  /** The caller holds the lease: the payment is new, was released, or its lease expired. */
  | { readonly kind: 'owned'; readonly record: PaymentRecord }
  /** Another attempt holds the lease, or the payment is settled. */
  | { readonly kind: 'known'; readonly record: PaymentRecord }
  /** A limit is reached. */
  | { readonly kind: 'full'; readonly of: 'ledger' | 'payer' };

/** A payment whose attempt ended without learning the outcome of its settlement. */
export interface LapsedPayment extends Omit<NewPayment, 'fingerprint'> {
  /** Held the lease last. */
  readonly owner: string;
}

/** Payments that are not settled, by state. `lapsed` ones have no lease. */
export type PaymentsInFlight = Readonly<Record<'reserved' | 'settling' | 'lapsed', number>>;

/** Limits of a ledger. Payments whose lease lapsed do not count. */
export interface LedgerLimits {
  /** Payments of one payer that are reserved or settling (8). */
  readonly maxInFlightPerPayer?: number;
  /** Payments that are reserved or settling (1,024). */
  readonly maxInFlight?: number;
  /** How long the response of a settled payment is repeated (600). */
  readonly repeatSeconds?: number;
}

/** The payment ledger. Every method is atomic, and returns after the database committed. */
export interface PaymentLedger {
  /**
   * Reserve a payment, or take over an expired lease. A payment with a stored response can only be taken over for the
   * same request.
   */
  reserve(payment: NewPayment, lease: PaymentLease): Promise<PaymentReservation>;
  /** Check whether the payment is present for this same request. */
  has(payment: PaymentKey & Pick<NewPayment, 'fingerprint'>): Promise<boolean>;
  /**
   * Store the response before the payment is settled.
   *
   * @returns false, without a change, when another attempt holds the lease
   */
  keepResponse(key: PaymentKey, lease: PaymentLease, response: PaidResponse): Promise<boolean>;
  /**
   * Record that the payment is settled. This is final.
   *
   * @returns false, without a change, when another attempt holds the lease or has settled it
   */
  settle(key: PaymentKey, owner: string, transaction: Hex): Promise<boolean>;
  /** End the lease, but keep the payment and its response: the next attempt continues the settlement. */
  release(key: PaymentKey, owner: string): Promise<void>;
  /**
   * Delete the payment and its response if it is in this state. Afterwards any request can use the payment.
   *
   * @returns whether it was deleted
   */
  delete(key: PaymentKey, owner: string, state: 'reserved' | 'settling'): Promise<boolean>;
  /** List settling payments of a token without a lease, at most 100, in the order in which their leases ended. */
  lapsed(chainId: number, asset: Address): Promise<readonly LapsedPayment[]>;
  /** Count the payments that are not settled. */
  inFlight(): Promise<PaymentsInFlight>;
  /** Delete expired payments, except settling ones: the chain decides about these. */
  purge(): Promise<void>;
}

/** Counts the free calls of each client. */
export interface FreeQuota {
  /** @returns whether the client had a free call left; it is used now */
  take(client: string): Promise<boolean>;
}
