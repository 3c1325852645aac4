import { paymentOutcomes } from '@yield-vault/payments';
import { Counter, Gauge, type Registry } from 'prom-client';
import { withTimeout } from '@yield-vault/server';
import { countSweeps, type SweepCounter } from '../../infrastructure/measure-infrastructure.js';
import type { PaymentsPort } from '../../ports.js';

export type MeasuredPayments = Pick<PaymentsPort, 'onOutcome' | 'inFlight'>;

const readDeadlineMs = 1_000;

/**
 * Add the metrics of payments.
 *
 * @returns counts a run of the sweeper
 */
export function measurePayments(
  payments: MeasuredPayments,
  registry: Registry,
  prefix: string,
): SweepCounter {
  const registers = [registry];
  const total = new Counter({
    name: `${prefix}payments_total`,
    help: 'Payments of this process by outcome. A payer was charged where it is settled; unknown ones are resolved later.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of paymentOutcomes) total.inc({ outcome }, 0);
  payments.onOutcome((outcome) => total.inc({ outcome }));
  new Gauge({
    name: `${prefix}payments_in_flight`,
    help: 'Unsettled payments in the ledger of all processes. Lapsed ones wait for their payer or the sweeper. Absent while the database does not respond.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await withTimeout(payments.inFlight(), readDeadlineMs, undefined);
      this.reset();
      for (const [state, count] of Object.entries(counts ?? {})) this.set({ state }, count);
    },
  });
  return countSweeps(
    registry,
    `${prefix}payment_sweeps_total`,
    'Runs of the payment sweeper in this process. One process at a time sweeps.',
  );
}
