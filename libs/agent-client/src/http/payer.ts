/** A 402 as it came: what the service asks to be paid for one request. */
export interface PaymentDemand {
  readonly url: string;
  /** A header of the answer; `PAYMENT-REQUIRED` holds the terms of x402 v2 in base64. */
  readonly header: (name: string) => string | null;
  /** The body of the answer: the terms of x402 v1. */
  readonly body: unknown;
}

/**
 * Pays: looks at the terms, and gives the headers of a payment (`PAYMENT-SIGNATURE` or `X-PAYMENT`). It throws when
 * the price is too high for it. It is asked once for a request, however often that is sent.
 */
export type Payer = (demand: PaymentDemand) => Promise<Readonly<Record<string, string>>>;
