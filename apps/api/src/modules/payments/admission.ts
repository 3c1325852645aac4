import type { PaidAnswer, PaymentSession } from '@yield-vault/payments';
import type { FastifyRequest } from 'fastify';

/** What the guard found out about a paid request, for the interceptor. */
export type Admission =
  | { readonly kind: 'reserved'; readonly session: PaymentSession }
  | {
      readonly kind: 'answered';
      readonly answer: PaidAnswer;
      readonly headers: Readonly<Record<string, string>>;
    };

const admissions = new WeakMap<FastifyRequest, Admission>();

/** Note what is known of a paid request. */
export function admit(request: FastifyRequest, admission: Admission): void {
  admissions.set(request, admission);
}

/** Read what is known of a request; undefined for one that is free. */
export function admissionOf(request: FastifyRequest): Admission | undefined {
  return admissions.get(request);
}
