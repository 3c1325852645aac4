import type { DepositLimit } from '@yield-vault/execution-relay';
import { Gauge, type Registry } from 'prom-client';
import { metricPrefix } from './metric-prefix.js';

/** Show the limits of deposits. */
export function measureDepositLimits(registry: Registry): (limits: readonly DepositLimit[]) => void {
  const gauge = new Gauge({
    name: `${metricPrefix}deposit_limit_usd`,
    help: 'Caps of deposits by scope; 0 for a pause. Absent where deposits are not limited.',
    labelNames: ['scope'],
    registers: [registry],
  });
  return (limits) => {
    gauge.reset();
    for (const { scope, limit_usd } of limits) gauge.set({ scope }, limit_usd);
  };
}
