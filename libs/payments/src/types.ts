import type { Address, Hex } from 'viem';
import type { PaymentChain } from './ports.js';

/** What one call of a resource costs, on one chain. */
export interface PaymentTerms {
  readonly chain: PaymentChain;
  /** CAIP-2. */
  readonly network: `eip155:${number}`;
  readonly payTo: Address;
  /** Base units of the chain's asset. */
  readonly amount: bigint;
  /** How long a payer is told to let an authorization be valid. */
  readonly maxTimeoutSeconds: number;
}

/** A resource with its terms on every chain, as it is quoted. */
export interface PricedResource {
  /** Absolute. */
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly terms: readonly PaymentTerms[];
}

/** An EIP-3009 transfer as its payer signed it. */
export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  /** Base units. */
  readonly value: bigint;
  /** Unix seconds. */
  readonly validAfter: bigint;
  /** Unix seconds. */
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

/** A payment that was attached to a request and fits the terms of its resource. Nothing of it is verified yet. */
export interface Payment {
  /** Of the protocol, in which the answer speaks too. */
  readonly version: 1 | 2;
  /** Where it was found, which decides where its receipt goes. */
  readonly header: PaymentHeader;
  readonly terms: PaymentTerms;
  readonly authorization: Authorization;
  readonly signature: Hex;
}

export const paymentHeaders = ['PAYMENT-SIGNATURE', 'X-PAYMENT'] as const;

export type PaymentHeader = (typeof paymentHeaders)[number];

/** A request for a resource that may have a price. */
export interface PaidRequest {
  /** Name of the resource, as the options list it. */
  readonly resource: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** As it was received, byte for byte. */
  readonly body: Uint8Array;
  /** Read a header by name, whatever its case. */
  readonly header: (name: string) => string | undefined;
  /** Shown in the body of a 402. */
  readonly requestId: string;
  /** Who asks, as the deployment tells its callers apart; counts free calls. */
  readonly client?: string;
  /** What the caller presented to be let in without paying. */
  readonly accessKey?: string;
}

/** An answer that was paid for, ready to be sent. */
export interface PaidAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** What an HTTP answer with status 402 consists of. */
export interface PaymentChallenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PaymentRequiredBody;
}

/** The body of a 402: the terms of x402 v1, for those who do not read the header of v2. */
export interface PaymentRequiredBody {
  readonly x402Version: 1;
  readonly error: 'Payment required';
  readonly accepts: readonly Readonly<Record<string, unknown>>[];
  readonly code: 'PAYMENT_REQUIRED';
  readonly requestId: string;
}

/** A request that is to be answered and then settled, or cancelled. */
export interface PaymentSession {
  readonly payment: Payment;
  readonly resource: PricedResource;
  readonly requestId: string;
  /** Of this attempt. */
  readonly owner: string;
}

/** What is to be done with a request. */
export type PaymentVerdict =
  /** Answer it. */
  | { readonly kind: 'free'; readonly reason: 'not-priced' | 'allowlisted' | 'free-call' }
  /** Send the challenge with status 402. */
  | { readonly kind: 'required'; readonly challenge: PaymentChallenge }
  /** It was answered and paid before: send the same answer with these headers. */
  | {
      readonly kind: 'answered';
      readonly answer: PaidAnswer;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Make the answer, then settle before it leaves; cancel when there is none. */
  | { readonly kind: 'reserved'; readonly session: PaymentSession };

/** How a settlement ended. */
export type SettlementVerdict =
  /** Send the answer with these headers. */
  | { readonly kind: 'settled'; readonly headers: Readonly<Record<string, string>> }
  /** Nothing was paid: send the challenge with status 402 and withhold the answer. */
  | { readonly kind: 'required'; readonly challenge: PaymentChallenge };
