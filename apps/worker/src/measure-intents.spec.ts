import { Registry } from 'prom-client';
import { measureIntents } from './measure-intents.js';

it('default: a server and the worker inside it count into one metric, from zero', async () => {
  const registry = new Registry();
  const [server, worker] = [measureIntents(registry), measureIntents(registry)];
  server('confirmed');
  worker('confirmed');
  worker('expired');
  expect((await registry.metrics()).split('\n').filter((line) => line.startsWith('yield_vault'))).toEqual([
    'yield_vault_intents_resolved_total{state="confirmed"} 2',
    'yield_vault_intents_resolved_total{state="failed"} 0',
    'yield_vault_intents_resolved_total{state="expired"} 1',
  ]);
});
