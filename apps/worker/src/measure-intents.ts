import type { ExecutionRelayDependencies } from '@yield-vault/execution-relay';
import { Counter, type Registry } from 'prom-client';
import { metricPrefix } from './metric-prefix.js';

/** Count the intents that this process resolves. A server and the worker inside it share one counter. */
export function measureIntents(registry: Registry): NonNullable<ExecutionRelayDependencies['onResolved']> {
  const name = `${metricPrefix}intents_resolved_total`;
  const shared = registry.getSingleMetric(name) as Counter | undefined;
  const resolved =
    shared ??
    new Counter({
      name,
      help: 'Intents whose final state this process stored.',
      labelNames: ['state'],
      registers: [registry],
    });
  // Rates miss a counter that begins at 1.
  for (const state of ['confirmed', 'failed', 'expired']) resolved.inc({ state }, 0);
  return (state) => resolved.inc({ state });
}
