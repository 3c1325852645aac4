import { Registry } from 'prom-client';
import { measureIntents } from './measure-intents.js';

const render = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('x_'));

describe('measureIntents', () => {
  it('default: every state, the age of the oldest open intent, and runs of the sweeper', async () => {
    const registry = new Registry();
    const countSweep = measureIntents(
      () =>
        Promise.resolve([
          { state: 'confirmed', count: 7, oldestSeconds: 5_000 },
          { state: 'reserved', count: 2, oldestSeconds: 30 },
          { state: 'submitted', count: 1, oldestSeconds: 90 },
        ]),
      registry,
      'x_',
    );
    countSweep('failed');
    expect(await render(registry)).toEqual([
      'x_intents{state="reserved"} 2',
      'x_intents{state="simulated"} 0',
      'x_intents{state="submitted"} 1',
      'x_intents{state="included"} 0',
      'x_intents{state="confirmed"} 7',
      'x_intents{state="failed"} 0',
      'x_intents{state="expired"} 0',
      'x_oldest_open_intent_seconds 90',
      'x_intent_sweeps_total{outcome="succeeded"} 0',
      'x_intent_sweeps_total{outcome="failed"} 1',
    ]);
  });

  it('behavior: a ledger that does not respond hides the states, and no other metric', async () => {
    const registry = new Registry();
    measureIntents(() => Promise.reject(new Error('down')), registry, 'x_');
    const lines = await render(registry);
    expect(lines.filter((line) => line.startsWith('x_intents{'))).toEqual([]);
    expect(lines).toContain('x_intent_sweeps_total{outcome="failed"} 0');
  });
});
