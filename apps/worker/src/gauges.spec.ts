import type { IntentCount } from '@yield-vault/execution-relay';
import { Registry } from 'prom-client';
import { createLedgerGauges } from './gauges.js';

const render = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('x_'));

const { signal } = new AbortController();

describe('createLedgerGauges', () => {
  it('default: every open state, the age of the oldest open intent, and payments in flight', async () => {
    const counts: IntentCount[] = [
      { state: 'reserved', count: 2, oldestSeconds: 30, overdue: 1 },
      { state: 'submitted', count: 1, oldestSeconds: 90, overdue: 1 },
    ];
    const payments = { reserved: 0, settling: 3, lapsed: 1 };
    const registry = new Registry();
    const { job } = createLedgerGauges(
      () => Promise.resolve(counts),
      () => Promise.resolve(payments),
      registry,
      'x_',
    );
    await job.run(signal);
    expect(await render(registry)).toEqual([
      'x_intents{state="reserved"} 2',
      'x_intents{state="simulated"} 0',
      'x_intents{state="submitted"} 1',
      'x_intents{state="included"} 0',
      'x_oldest_open_intent_seconds 90',
      'x_overdue_intents 2',
      'x_payments_in_flight{state="reserved"} 0',
      'x_payments_in_flight{state="settling"} 3',
      'x_payments_in_flight{state="lapsed"} 1',
    ]);
  });

  it('error: a ledger that does not respond hides the states', async () => {
    const registry = new Registry();
    let isDown = false;
    const count = () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve([]));
    const { job } = createLedgerGauges(count, undefined, registry, 'x_');
    await job.run(signal);
    isDown = true;
    await expect(job.run(signal)).rejects.toThrow('down');
    expect((await render(registry)).filter((line) => line.startsWith('x_intents{'))).toEqual([]);
  });
});
