import type { PaymentState } from '@yield-vault/database';
import type { Address, Hex, PublicClient } from 'viem';
import type { PaidAnswer, Payment, PaymentTerms } from './types.js';

/** A chain on which payments are taken. */
export interface PaymentChain {
  /** Chain key, e.g. `base`. */
  readonly key: string;
  readonly chainId: number;
  /** Its name in x402 v1, where it has one; without it the chain is offered in v2 alone. */
  readonly v1Network?: string;
  /** A token of one US dollar with EIP-3009. */
  readonly asset: {
    readonly address: Address;
    readonly decimals: number;
    /** Of its EIP-712 domain. */
    readonly name: string;
    readonly version: string;
  };
  /** Asked what became of a payment; that of `ActiveChain` has the deadlines that this needs. */
  readonly rpc: PublicClient;
}

/** Checks payments and carries them out. */
export interface Facilitator {
  /**
   * @returns why the payer's authorization is refused, or `undefined` when it is good
   * @throws {UpstreamUnavailableError} when that cannot be told now
   */
  verify(payment: Payment): Promise<string | undefined>;
  /**
   * Carry a payment out. The same payment again goes on with the first attempt, or makes a new one that has no effect
   * beside it.
   *
   * @throws {UpstreamUnavailableError} when the outcome is unknown
   */
  settle(payment: Payment): Promise<SettlementOutcome>;
  /** Find what is wrong with it for these terms. */
  inspect(terms: readonly PaymentTerms[]): Promise<Inspection>;
}

/** How carrying a payment out ended. */
export type SettlementOutcome =
  | { readonly kind: 'settled'; readonly transaction: Hex }
  | { readonly kind: 'refused'; readonly reason: string };

/** What was found before payments are taken. */
export interface Inspection {
  /** No payment can be taken like this. */
  readonly problems: readonly string[];
  /** Payments fail as long as this lasts. */
  readonly warnings: readonly string[];
}

/** What an authorization is known by: its token lets it be used once. */
export interface PaymentKey {
  readonly chainId: number;
  readonly asset: Address;
  readonly payer: Address;
  readonly nonce: Hex;
}

/** What is stored about a payment when it is reserved. */
export interface NewPayment extends PaymentKey {
  /** Which request it is used for, and by what signature. */
  readonly fingerprint: Hex;
  /** Unix milliseconds; later than the authorization is valid. */
  readonly expiresAtMs: number;
}

/** A payment of the ledger. */
export interface PaymentRecord {
  readonly fingerprint: Hex;
  readonly state: PaymentState;
  /** Present unless reserved. */
  readonly answer?: PaidAnswer;
  /** Present when settled. */
  readonly transaction?: Hex;
}

/** The right to work on a payment, for a while. */
export interface PaymentLease {
  readonly owner: string;
  readonly seconds: number;
}

/** What asking for a payment came to. */
export type PaymentClaim =
  /** It is ours: new, given up, or left behind by a process that died. */
  | { readonly kind: 'owned'; readonly record: PaymentRecord }
  /** It is somebody else's, or settled. */
  | { readonly kind: 'known'; readonly record: PaymentRecord }
  /** There is no room for another one. */
  | { readonly kind: 'full'; readonly of: 'ledger' | 'payer' };

/** Bounds of a ledger. */
export interface LedgerLimits {
  /** Payments of one payer that are reserved or settling (8). */
  readonly maxInFlightPerPayer?: number;
  /** Payments that are reserved or settling (1,024). */
  readonly maxInFlight?: number;
}

/** The payment ledger. Every method is atomic; a change is durable when it returns. */
export interface PaymentLedger {
  /**
   * Reserve a payment, or take it over from a lease that ran out. One that already has its answer is only taken over
   * for the same request.
   */
  claim(payment: NewPayment, lease: PaymentLease): Promise<PaymentClaim>;
  /** @returns false, and changes nothing, when the lease is somebody else's by now */
  keepAnswer(key: PaymentKey, lease: PaymentLease, answer: PaidAnswer): Promise<boolean>;
  /** Note that it is settled, for good. */
  settle(key: PaymentKey, owner: string, transaction: Hex): Promise<void>;
  /** Give the lease up and keep the payment as it is. */
  release(key: PaymentKey, owner: string): Promise<void>;
  /** Make it unused again, if it is in this state. */
  forget(key: PaymentKey, owner: string, state: 'reserved' | 'settling'): Promise<void>;
  /** Remove what expired. */
  purge(): Promise<void>;
}

/** Counts calls that need no payment. */
export interface FreeQuota {
  /** @returns whether the client had one left; it has one less now */
  take(client: string): Promise<boolean>;
}
