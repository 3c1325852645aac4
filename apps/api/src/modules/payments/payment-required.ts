import type { PaymentChallenge } from '@yield-vault/payments';

/** The payer must pay first, or again. Thrown, because only a filter answers in the place of a route. */
export class PaymentRequired extends Error {
  override readonly name = 'PaymentRequired';

  constructor(readonly challenge: PaymentChallenge) {
    super('Payment required');
  }
}
