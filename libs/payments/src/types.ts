import type { Address, Hex, PublicClient } from 'viem';

/** A chain that accepts payments. */
export interface PaymentChain {
  /** Chain key, e.g. `base`. */
  readonly key: string;
  readonly chainId: number;
  /** Network name in x402 v1. Without it, the chain is offered in v2 only. */
  readonly v1Network?: string;
  /** A token worth one US dollar that supports EIP-3009. */
  readonly asset: {
    readonly address: Address;
    readonly decimals: number;
    /** Name in the EIP-712 domain. */
    readonly name: string;
    /** Version in the EIP-712 domain. */
    readonly version: string;
  };
  /** Reads the outcome of payments. `ActiveChain.rpc` has the required timeouts. */
  readonly rpc: PublicClient;
}

/** Price of one call of a resource, on one chain. */
export interface PaymentTerms {
  readonly chain: PaymentChain;
  /** CAIP-2. */
  readonly network: `eip155:${number}`;
  readonly payTo: Address;
  /** Base units of the chain's asset. */
  readonly amount: bigint;
  /** Longest validity that the terms allow for an authorization. */
  readonly maxTimeoutSeconds: number;
}

/** Input and output of a resource, for callers that find it by its price. */
export interface ResourceDiscovery {
  /** Extensions of x402 v2, for example of Bazaar. */
  readonly extensions: Readonly<Record<string, unknown>>;
  /** Input and output in x402 v1. */
  readonly outputSchema: Readonly<Record<string, unknown>>;
}

/** Describes a resource; an `outline` fits into a response header. */
export type DescribeResource = (detail: 'outline' | 'full') => ResourceDiscovery;

/** A resource with its terms on every chain. */
export interface PricedResource {
  /** Absolute. */
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly describe?: DescribeResource;
  readonly terms: readonly PaymentTerms[];
}

/** A signed EIP-3009 transfer. */
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

/** A payment that matches the terms of its resource. Its signature and balance are not verified yet. */
export interface Payment {
  /** x402 version of the payment and of its receipt. */
  readonly version: 1 | 2;
  /** Header that carried the payment; it selects the header of the receipt. */
  readonly header: PaymentHeader;
  readonly terms: PaymentTerms;
  readonly authorization: Authorization;
  readonly signature: Hex;
}

export const paymentHeaders = ['PAYMENT-SIGNATURE', 'X-PAYMENT'] as const;

export type PaymentHeader = (typeof paymentHeaders)[number];

/** A request for a resource that may have a price. */
export interface PaidRequest {
  /** Name of the resource in the options. */
  readonly resource: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The received bytes, unchanged. */
  readonly body: Uint8Array;
  /** Reads a header by name, in any case. */
  readonly header: (name: string) => string | undefined;
  /** Appears in the body of a 402. */
  readonly requestId: string;
  /** Identifies the caller, for the free quota and for the limit of checks. */
  readonly client?: string;
  /** Key that exempts a caller from payment. */
  readonly accessKey?: string;
}

/** A response that is ready to send. */
export interface PaidResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Headers and body of a response with status 402. */
export interface PaymentChallenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PaymentRequiredBody;
}

/** The body of a 402. It holds the terms in x402 v1; the header holds them in v2. */
export interface PaymentRequiredBody {
  readonly x402Version: 1;
  readonly error: 'Payment required';
  readonly accepts: readonly Readonly<Record<string, unknown>>[];
  readonly code: 'PAYMENT_REQUIRED';
  readonly requestId: string;
}

/** A reserved request. Settle it after its handler succeeded, otherwise cancel it. */
export interface PaymentSession {
  readonly payment: Payment;
  readonly resource: PricedResource;
  readonly requestId: string;
  /** Identifies this attempt in the ledger. */
  readonly owner: string;
}

/** How to handle a request. */
export type BeginResult =
  /** Run the handler; no payment is needed. */
  | { readonly kind: 'free'; readonly reason: 'not-priced' | 'allowlisted' | 'free-call' }
  /** Send the challenge with status 402. */
  | { readonly kind: 'required'; readonly challenge: PaymentChallenge }
  /** The request was paid before: send the stored response with these headers. */
  | {
      readonly kind: 'answered';
      readonly response: PaidResponse;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Run the handler, then settle before the response leaves. Cancel when the handler fails. */
  | { readonly kind: 'reserved'; readonly session: PaymentSession };

/** How a settlement ended. */
export type SettleResult =
  /** Send the response with these headers. */
  | { readonly kind: 'settled'; readonly headers: Readonly<Record<string, string>> }
  /** Nothing was paid: withhold the response and send the challenge with status 402. */
  | { readonly kind: 'required'; readonly challenge: PaymentChallenge };

export const paymentOutcomes = [
  /** No payment was attached. */
  'required',
  /** The payment is invalid, or was used before. */
  'refused',
  /** A stored response was returned. */
  'repeated',
  /** The payer was charged. */
  'settled',
  /** A settlement whose outcome is not known yet. */
  'unknown',
  /** The authorization can never pay for the response that was made. */
  'lost',
] as const;

/** What became of a payment. */
export type PaymentOutcome = (typeof paymentOutcomes)[number];
