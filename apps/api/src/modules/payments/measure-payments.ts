import { paymentOutcomes, type Payments } from '@yield-vault/payments';
import { Counter, type Registry } from 'prom-client';

/** Count payments by outcome. */
export function measurePayments(
  payments: Pick<Payments, 'onOutcome'>,
  registry: Registry,
  prefix: string,
): void {
  const total = new Counter({
    name: `${prefix}payments_total`,
    help: 'Payments of this process by outcome. A payer was charged where it is settled; the worker resolves unknown ones.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of paymentOutcomes) total.inc({ outcome }, 0);
  payments.onOutcome((outcome) => total.inc({ outcome }));
}
