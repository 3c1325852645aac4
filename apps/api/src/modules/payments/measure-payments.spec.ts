import type { PaymentOutcome } from '@yield-vault/payments';
import { Registry } from 'prom-client';
import { measurePayments, type MeasuredPayments } from './measure-payments.js';

function setUp(inFlight: MeasuredPayments['inFlight']) {
  let tell: (outcome: PaymentOutcome) => void = () => undefined;
  const registry = new Registry();
  const countSweep = measurePayments(
    { inFlight, onOutcome: (listener) => (tell = listener) },
    registry,
    'x_',
  );
  return { registry, countSweep, tell: (outcome: PaymentOutcome) => tell(outcome) };
}
const none = { reserved: 0, settling: 0, lapsed: 0 };

describe('measurePayments', () => {
  it('default: every outcome from zero on, and the payments in flight', async () => {
    const { registry, tell, countSweep } = setUp(() => Promise.resolve({ ...none, settling: 3 }));
    tell('settled');
    tell('settled');
    countSweep('failed');
    const text = await registry.metrics();
    expect(text).toContain('x_payments_total{outcome="settled"} 2');
    expect(text).toContain('x_payments_total{outcome="unknown"} 0');
    expect(text).toContain('x_payments_in_flight{state="settling"} 3');
    expect(text).toContain('x_payments_in_flight{state="lapsed"} 0');
    expect(text).toContain('x_payment_sweeps_total{outcome="failed"} 1');
    expect(text).toContain('x_payment_sweeps_total{outcome="succeeded"} 0');
  });

  it('behavior: a ledger that does not respond hides the gauge, and no other metric', async () => {
    let isDown = false;
    const { registry } = setUp(() => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(none)));
    await registry.metrics();
    isDown = true;
    const text = await registry.metrics();
    expect(text).not.toContain('x_payments_in_flight{');
    expect(text).toContain('x_payments_total{outcome="settled"} 0');
  });
});
